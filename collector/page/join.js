// The page on which a person answers: the number is privatised here, shown, and sent only if the person agrees.
import { Collection, explain } from '/client/index.js';
import { Reporter } from '/client/reporter.js';
import { $, numberIn, say } from '../../site/src/dom.js';
import { Chart, ink, lines, stepped } from '../../site/src/charts.js';
import { format, formatIn, formatShort, times } from '../../site/src/words.js';
import { describe, sayPromise, Shape } from './parts.js';
import { readCollections, readJoinLink, tokenFor } from './session.js';
import { Stream } from './stream.js';

const PLACES = 200; // at which the likelihood is drawn

function complain(text) {
  $('notice').hidden = text === '';
  $('notice').textContent = text;
}

class Join {
  #described; // as the server describes the collection
  #collection;
  #reporter;
  #mayRead;
  #stream;
  #origin;
  #code;

  async start() {
    const name = decodeURIComponent(location.pathname.split('/').pop());
    readJoinLink(name);
    const { collections, open } = await readCollections();
    this.#described = collections.find((one) => one.name === name);
    if (this.#described === undefined) return complain('This server asks nothing under that name. Check the link.');
    this.#mayRead = open || tokenFor('read', name) !== undefined;
    if (open || tokenFor('write', name) !== undefined) return this.#ask();
    complain('This link is incomplete: a write token is missing after its #. Ask whoever sent it to you.');
    this.#showOthers();
  }

  async #ask() {
    const { name, question, spec, min, max, key_hours: keyHours } = this.#described;
    this.#collection = await Collection.parse(spec);
    this.#reporter = new Reporter(this.#collection, `/v1/collections/${name}/reports`, {
      token: tokenFor('write', name),
      keyHours,
    });
    document.title = question || name;
    $('title').textContent = question || `Your answer for “${name}”`;
    $('range').textContent = `from ${format(min)} to ${format(max)}`;
    $('ask').hidden = false;
    $('ask').addEventListener('submit', (event) => this.#draw(event));
    $('send').addEventListener('click', () => this.#send());
    $('drop').addEventListener('click', () => this.#drop());
    await this.#reporter.show($('account'));
    await this.#remember();
  }

  /** Somebody who has answered from this browser should know what a second answer costs. */
  async #remember() {
    const { reports, waiting, spent, epsilon } = await this.#reporter.account();
    if (reports === 0) return;
    this.#showDone(
      'This browser has answered',
      waiting > 0 ? 'The report is waiting, and will be sent as soon as the server can be reached.' : '',
    );
    $('again').hidden = false;
    $('again').textContent = `You need not answer again. A second report about the same number would raise what your \
reports may reveal from ε = ${format(spent)} to ε = ${format(spent + epsilon)}.`;
  }

  // ---- From the number to the report ----

  /** Draws once. A report that somebody chose among several would no longer be private. */
  async #draw(event) {
    event.preventDefault();
    const { min, max } = this.#described;
    const value = numberIn($('value'));
    if (value === undefined) return;
    if (value < min || value > max)
      $('value-note').textContent =
        `It is outside the range, so it counts as ${format(value < min ? min : max)}, the nearer end.`;
    [this.#code] = this.#collection.codes([value]);
    $('value').value = '';
    $('ask').hidden = true;
    $('preview').hidden = false;
    await this.#showReport();
    $('preview').focus();
  }

  async #showReport() {
    const { min, max, fingerprint, spec } = this.#described;
    const report = this.#collection.reports(this.#code);
    const isOutside = report < min || report > max;
    $('report').textContent = formatIn(max - min)(report);
    $('report-words').textContent = `This is all that leaves, and it is not your number.${
      isOutside ? ' It is outside the range, as many reports are: without those, the average would be wrong.' : ''
    }`;
    $('request').textContent = `POST /v1/collections/${this.#described.name}/reports\n\n${JSON.stringify({
      fingerprint,
      codes: [this.#code],
    })}`;
    sayPromise($('promise'), await explain(spec), 'your');
    this.#showOrigin();
  }

  #showOrigin() {
    const { min, max, epsilon } = this.#described;
    const xs = Float64Array.from({ length: PLACES }, (_, i) => min + ((max - min) * i) / (PLACES - 1));
    const likelihood = this.#collection.likelihood(this.#code, xs);
    const average = likelihood.reduce((sum, p) => sum + p, 0) / PLACES;
    const ratios = Array.from(likelihood, (p) => p / average);
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    this.#origin ??= new Chart($('origin'), {
      height: 190,
      y: { values: (x) => `${formatShort(x)}×` },
      series: [
        {
          stroke: () => ink('podium'),
          fill: () => `${ink('podium')}2b`,
          width: 2,
          paths: stepped,
          points: { show: false },
        },
      ],
      over: (ctx, at, box) => lines.horizontal(ctx, box, at(0, 1)[1], ink('edge'), { width: 1, dash: [5, 4] }),
    });
    this.#origin.set([Array.from(xs), ratios], {
      x: [min, max],
      y: [0, 1.15 * most],
      says: `From one answer it is at most ${times(most / least)} times as likely as from another; ε allows \
${times(Math.exp(epsilon))}.`,
    });
  }

  // ---- What becomes of it ----

  async #send() {
    $('send').disabled = $('drop').disabled = true;
    await this.#reporter.reportCodes([this.#code]);
    const problem = await this.#reporter.flush().then(
      () => '',
      (error) => `Your report waits in this browser, and this page keeps trying to send it: ${error.message}.`,
    );
    $('preview').hidden = true;
    this.#showDone(problem ? 'Not sent yet' : 'Thank you', problem || 'The server has stored your report.');
    $('done').focus();
  }

  #drop() {
    $('preview').hidden = true;
    this.#showDone('Nothing was sent', 'The report is gone, and so is your number.');
    $('done').focus();
  }

  #showDone(title, words) {
    $('done').hidden = false;
    $('done-title').textContent = title;
    $('done-words').textContent = words;
    this.#showOthers();
  }

  // ---- The others ----

  /** Only after the person has answered, so that nobody is led by what the others say. */
  #showOthers() {
    if (!this.#mayRead || this.#stream) return;
    const shape = new Shape($('shape'), $('shape-words'));
    this.#stream = new Stream(this.#described.name, {
      event: (event) => {
        $('others').hidden = false;
        say($('others-words'), describe(event, this.#described));
        shape.show(event, this.#described);
      },
      state: (state) => state === 'refused' && ($('others').hidden = true),
    });
  }
}

new Join().start().catch((error) => complain(`This page cannot continue: ${error.message}`));
