// When a section asks the workers: at once if the person sees it, and otherwise when the sliders rest. So the processor
// works for what is on the screen while somebody drags.

const REST = 150; // milliseconds without a change

export class Pace {
  #ask;
  #isSeen = false;
  #timer;

  /** ask is called with no arguments; a section that is too slow for every frame passes isPatient. */
  constructor(section, ask, { isPatient = false } = {}) {
    this.#ask = ask;
    if (isPatient) return;
    new IntersectionObserver((entries) => (this.#isSeen = entries.at(-1).isIntersecting)).observe(section);
  }

  ask() {
    clearTimeout(this.#timer);
    if (this.#isSeen) this.#ask();
    else this.#timer = setTimeout(this.#ask, REST);
  }
}
