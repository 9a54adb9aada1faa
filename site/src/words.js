// Numbers and chances in words, as `podium explain` writes them.

const SIGNIFICANT = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** A number for reading: whole if it is large, four digits otherwise. */
export const format = (x) => (Math.abs(x) >= 10000 ? WHOLE : SIGNIFICANT).format(x === 0 ? 0 : x).replace('-', '−');

/** A number with as many decimals as suit a range of this width. */
export function formatIn(width) {
  const decimals = Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(width))));
  const formatter = new Intl.NumberFormat('en', { maximumFractionDigits: decimals, minimumFractionDigits: decimals });
  return (x) => formatter.format(x).replace('-', '−');
}

/** "1 year", "2 years", "5 °C" */
export const withUnit = (text, unit) => `${text} ${text === '1' ? unit.replace(/s$/, '') : unit}`;

/** A number of people; those that nobody can count are short. */
export const formatCount = (n) => (n < 1e15 ? WHOLE.format(n) : `10^${Math.ceil(Math.log10(n))}`);

/** Numbers of people for axes: "100", "1 k", "1 M" */
export const formatPeople = (n) => (n < 1e3 ? format(n) : n < 1e6 ? `${n / 1e3} k` : `${n / 1e6} M`);

/** Large numbers for axes: "20 k", "1 M" */
export function formatShort(x) {
  const size = Math.abs(x);
  return size >= 1e6 ? `${format(x / 1e6)} M` : size >= 1e4 ? `${format(x / 1e3)} k` : format(x);
}

/** A factor, rounded upwards because it is a bound: 2.72, 22027, 10^18. */
export function times(factor) {
  const decimals = factor < 10 ? 2 : factor < 100 ? 1 : 0;
  if (factor >= 1e7) return `10^${Math.ceil(Math.log10(factor))}`;
  return (Math.ceil(factor * 10 ** decimals * (1 - 1e-9)) / 10 ** decimals).toLocaleString('en');
}

/** A probability, rounded upwards: "1 in 37", "74 in 100". */
export function chance(p) {
  const parts = p < 0.99 ? 100 : 10000;
  if (p <= 0.1) return `1 in ${Math.floor((1 / p) * (1 + 1e-9))}`;
  if (p === 0.5) return '1 in 2';
  return p < 0.9999 ? `${Math.ceil(parts * p * (1 - 1e-9))} in ${parts}` : 'near certainty';
}

/** What a report can tell about a number, in the words of `podium explain`; chances are those for 1 in 100, 10 and 2. */
export const promise = (factor, [one, ten, even], whose) =>
  `Whatever somebody guesses about ${whose} number, and whatever else they know, one report changes the odds by a \
factor of at most **${times(factor)}**. The chance that the guess is right can rise from 1 in 100 to at most \
**${chance(one.most)}**, from 1 in 10 to at most **${chance(ten.most)}**, and from 1 in 2 to at most \
**${chance(even.most)}**.`;

/** A difference of shares, which is not a percentage of anything. */
export const points = (share) => `${SIGNIFICANT.format(Number((100 * share).toPrecision(2)))} percentage points`;

export const percent = (share) => `${SIGNIFICANT.format(Number((100 * share).toPrecision(2)))}%`;
