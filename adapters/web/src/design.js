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

/** The bytes that a text of base64 stands for; none if it is not one. */
function unpack(packed, size) {
  const bytes = [];
  try {
    const from = Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    for (let i = 4; i < from.length && bytes.length < size; i++)
      bytes.push(...(from[i] === 0 ? new Uint8Array(from[++i]) : [from[i]]));
    return { sum: from.slice(0, 4), bytes: Uint8Array.from(bytes) };
  } catch {
    return { sum: [], bytes: new Uint8Array() };
  }
}

export function decodeDesign(text, size, version) {
  const [, spec, made, packed] = /^(.*) design=([^:]*):([\w+/=]*)$/.exec(text.trim()) ?? [];
  if (made !== undefined && made !== version)
    throw new PodiumError(`the design is of version ${made}, and this is ${version}: design the collection again`);
  const { sum, bytes } = unpack(packed, size);
  if (bytes.length !== size || checksum(spec, bytes).join() !== sum.join())
    throw new PodiumError('the design is damaged');
  return { spec, bytes };
}
