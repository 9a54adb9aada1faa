// Short names for what every section does with the document.

export const $ = (id) => document.getElementById(id);

/** An element with properties and children; text is never read as HTML. */
export function make(tag, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const element = Object.assign(document.createElement(tag), rest);
  Object.assign(element.dataset, dataset);
  element.append(...children);
  return element;
}

/** A sentence in which **two stars** make words strong. */
export function say(element, text) {
  element.replaceChildren(
    ...text.split('**').map((part, i) => (i % 2 === 1 ? make('strong', { textContent: part }) : part)),
  );
}

export function fillSelect(select, table) {
  select.replaceChildren(
    ...Object.entries(table).map(([value, textContent]) => make('option', { value, textContent })),
  );
}

const CONFIRMATION = 2000; // milliseconds

/** Pages without TLS have no navigator.clipboard, but can copy what is selected. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make('textarea', { value: text, readOnly: true });
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('nothing was copied');
}

/** Copies a text when the button is pressed; the button and, for screen readers, the status say how that went. */
export function offerCopy(button, status, text) {
  const label = button.textContent;
  const show = (words) => {
    button.textContent = words;
    status.textContent = words;
    setTimeout(() => (button.textContent = label), CONFIRMATION);
  };
  button.addEventListener('click', () =>
    copy(text()).then(
      () => show('Copied'),
      () => show('The browser does not allow it'),
    ),
  );
}

/** Radio buttons, as many as the table has rows, after the fieldset's legend. */
export function fillRadios(fieldset, name, table) {
  const labels = Object.entries(table).map(([value, text]) =>
    make('label', {}, make('input', { type: 'radio', name, value }), text),
  );
  fieldset.replaceChildren(fieldset.querySelector('legend'), ...labels);
}

/** The number in a field, or undefined if there is none. */
export function numberIn(input, isGood = () => true) {
  const x = input.value.trim() === '' ? NaN : Number(input.value);
  const good = Number.isFinite(x) && isGood(x);
  input.setAttribute('aria-invalid', String(!good));
  return good ? x : undefined;
}
