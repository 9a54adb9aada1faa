#!/usr/bin/env node
// Prints the design of a collection, for podium-privacy/device: npx podium-privacy 'minimax epsilon=1 range=1:120'
import { Collection } from './index.js';

const [spec] = process.argv.slice(2);
try {
  if (spec === undefined || spec.startsWith('-')) throw new Error("usage: podium-privacy 'minimax epsilon=1 range=1:120'");
  console.log((await Collection.parse(spec)).design);
} catch (error) {
  console.error(`podium-privacy: ${error.message}`);
  process.exitCode = 2;
}
