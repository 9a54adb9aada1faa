// 5. Take it with you: the link, the sentence, the code.
import { $, fillRadios, offerCopy } from './dom.js';
import { consent, LANGUAGES } from './code.js';
import { toHash } from './settings.js';
import { chance, format, times } from './words.js';

const NOTES = {
  shell: 'The program podium is built by make. The numbers of this page are those that it prints.',
  javascript: 'The package is built by make web: npm install build/web/podium-privacy-*.tgz',
  python: 'The wheel is built by make python: pip install build/python/podium_privacy-*.whl',
  sql: 'The extensions are built by make sqlite and make postgres.',
  c: 'The library is built by make, and installed by make install.',
};

export class Take {
  #page;
  #language = 'shell';

  constructor(page) {
    this.#page = page;
    fillRadios($('language'), 'language', Object.fromEntries(Object.entries(LANGUAGES).map(([k, v]) => [k, v.title])));
    $('language').querySelector('input').checked = true;
    $('language').addEventListener('input', (event) => {
      this.#language = event.target.value;
      this.reflect();
    });
    offerCopy($('copy-link'), $('status'), () => this.#link());
    offerCopy($('copy-code'), $('status'), () => $('code').textContent);
    offerCopy($('copy-consent'), $('status'), () => $('consent').textContent);
  }

  #link() {
    return `${location.href.replace(/#.*/, '')}#${toHash(this.#page.settings)}`;
  }

  reflect() {
    $('code').firstElementChild.textContent = LANGUAGES[this.#language].write(this.#page.settings);
    $('code-note').textContent = NOTES[this.#language];
  }

  promised(odds) {
    const { low, high, epsilon } = this.#page.settings;
    $('consent').textContent = consent(this.#page.settings, odds, chance);
    $('consent-note').textContent =
      odds.strength === 'strong' || odds.strength === 'moderate'
        ? `This protection is ${odds.strength}.`
        : `This protection is ${odds.strength}: a smaller ε would make a promise that is worth a sentence.`;
    $('officer').textContent =
      `Each report is locally differentially private with ε = ${epsilon}. For any two numbers from ${format(low)} to \
${format(high)}, every report is at most ${times(odds.factor)} times as likely from one as from the other. This holds \
against everybody, including the collector, whatever they know and compute. It holds for one report: further \
reports about the same number add up. It does not hide that somebody took part, when, how often and from where. The \
range is public, and must not be taken from the data.`;
  }
}
