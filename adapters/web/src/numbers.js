// Numbers as text, which C's formatter and parser would be too large for.

/** x as printf's %.*g writes it, which differs from toPrecision in ties, trailing zeros and exponents. */
export function formatNumber(x, digits) {
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : x < 0 ? '-inf' : 'nan';
  const [sign, size] = x < 0 || Object.is(x, -0) ? ['-', -x] : ['', x];
  const [rounded, exponent] = digitsOf(size, digits);
  const [kept, e] = [rounded.replace(/0+$/, '') || '0', Number(exponent)];
  if (e < -4 || e >= digits) return sign + withPoint(kept, 1) + exponentText(e);
  return sign + (e < 0 ? withPoint('0'.repeat(-e) + kept, 1) : withPoint(kept.padEnd(e + 1, '0'), e + 1));
}

/** The first digits of x > 0 and its decimal exponent. A tie is rounded to even, as C does and JavaScript does not. */
function digitsOf(x, digits) {
  const read = (count) => x.toExponential(count - 1).replace('.', '').split('e');
  const [exact, exponent] = read(101);
  const isTie = /^50*$/.test(exact.slice(digits)) && Number(exact[digits - 1]) % 2 === 0;
  return isTie ? [exact.slice(0, digits), exponent] : read(digits);
}

const withPoint = (digits, at) => (digits.length > at ? `${digits.slice(0, at)}.${digits.slice(at)}` : digits);
const exponentText = (e) => `e${e < 0 ? '-' : '+'}${String(Math.abs(e)).padStart(2, '0')}`;

/** What text.c calls. */
export const hosts = (core) => ({
  write(address, digits, x) {
    const text = formatNumber(x, digits);
    core.fresh().bytes.set(new TextEncoder().encode(text), address);
    return text.length;
  },
  read: (address, n) => Number(core.text(address, n)),
});
