// Designs: finished collections as text, so that a device needs no solver.
//
// A design is the spec, " design=", the version, ":", and in base64 a checksum of 4 bytes and the collection's bytes, in
// which each run of zeros is a byte 0 and its length.
import { PodiumError } from './library.js';

const MARK = ' design=';

/** FNV-1a, against damage by accident. */
function checksum(spec, bytes) {
  let hash = 0x811c9dc5;
  for (const byte of [...new TextEncoder().encode(spec), ...bytes]) hash = Math.imul(hash ^ byte, 0x01000193);
  return [24, 16, 8, 0].map((shift) => (hash >>> shift) & 255);
}

export const isDesign = (text) => text.includes(MARK);

export function encodeDesign(spec, bytes, version) {
  const packed = checksum(spec, bytes);
  for (let i = 0, run; i < bytes.length; i += run) {
    for (run = 1; bytes[i] === 0 && run < 255 && bytes[i + run] === 0; ) run++;
    packed.push(...(bytes[i] === 0 ? [0, run] : [bytes[i]]));
  }
  return `${spec}${MARK}${version}:${btoa(String.fromCharCode(...packed))}`;
}

export function decodeDesign(text, size, version) {
  const [spec, made, packed] = /^(.*) design=([^:]*):([\w+/=]*)$/.exec(text.trim())?.slice(1) ?? [];
  if (made !== undefined && made !== version)
    throw new PodiumError(`the design is of version ${made}, and this is ${version}: design the collection again`);
  const bytes = new Uint8Array(size);
  const sum = [];
  try {
    const from = Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    sum.push(...from.splice(0, 4));
    for (let i = 0, at = 0; i < from.length; i++)
      if (from[i] === 0) at += from[++i];
      else bytes[at++] = from[i];
  } catch {
    // what atob cannot read has no checksum
  }
  if (checksum(spec, bytes).join() !== sum.join()) throw new PodiumError('the design is damaged');
  return { spec, bytes };
}
