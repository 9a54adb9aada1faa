// What the page offers to copy is run: commands by the program, code by its own language. And the link's reader.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const {
  PODIUM_SOURCE: source,
  PODIUM_PROGRAM: program,
  PODIUM_LIBRARY: library,
  PODIUM_EXTENSION: extension,
} = process.env;
const { PODIUM_PACKAGE: packed, PODIUM_WORK: work } = process.env;
const { LANGUAGES, planCommand } = await import(path.join(source, 'site/src/code.js'));
const { DEFAULTS, fromHash, QUESTIONS, startWith, toHash } = await import(path.join(source, 'site/src/settings.js'));
const { mechanisms } = await import(path.join(packed, 'index.js'));

const CASES = [
  DEFAULTS,
  {
    ...DEFAULTS,
    ...startWith('warmth'),
    low: -12.5,
    mechanism: 'minimax',
    epsilon: 0.35,
    goal: 'within',
    confidence: 0.99,
  },
  { ...DEFAULTS, ...startWith('pay'), mechanism: 'square-wave', epsilon: 3.2, goal: 'epsilon', asked: 5000 },
  { ...DEFAULTS, ...startWith('sleep'), mechanism: 'laplace', epsilon: 8, goal: 'people', about: 'histogram' },
  { ...DEFAULTS, ...startWith('commute'), goal: 'within', about: 'median' },
];

const nameOf = ({ mechanism, question }) => `${mechanism}, ${question}`;

/** A directory with people.csv and the program in it. */
function place({ question, low, high }) {
  mkdirSync(path.join(work, 'code'), { recursive: true });
  const directory = mkdtempSync(path.join(work, 'code/'));
  const values = Array.from({ length: 2000 }, (_, i) => low + ((high - low) * ((i * 7919) % 2000)) / 2000);
  writeFileSync(path.join(directory, 'people.csv'), `${QUESTIONS[question].column}\n${values.join('\n')}\n`);
  return directory;
}

const run = (cwd, command, ...words) =>
  execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

for (const settings of CASES) {
  const { column } = QUESTIONS[settings.question];
  const write = (language) => LANGUAGES[language].write(settings);

  test(`shell: ${nameOf(settings)}`, () => {
    const directory = place(settings);
    const bin = path.join(directory, 'bin');
    mkdirSync(bin);
    cpSync(program, path.join(bin, 'podium'));
    const output = execFileSync('sh', ['-euc', write('shell')], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    assert.match(output, /^reports +2000$/m);
    assert.match(output, /For the privacy officer/);
    assert.match(
      readFileSync(path.join(directory, `${column}.podium`), 'utf8'),
      new RegExp(`mechanism = ${settings.mechanism}\n`),
    );
    assert.ok(write('shell').includes(planCommand(settings)));
  });

  test(`JavaScript: ${nameOf(settings)}`, () => {
    const directory = place(settings);
    cpSync(packed, path.join(directory, 'node_modules/podium-privacy'), { recursive: true });
    writeFileSync(path.join(directory, 'code.mjs'), write('javascript'));
    const [count, ...numbers] = run(directory, process.execPath, 'code.mjs').split(' ').map(Number);
    assert.equal(count, 2);
    assert.ok(numbers.length === 3 && numbers.every(Number.isFinite));
  });

  test(`C: ${nameOf(settings)}`, () => {
    const directory = place(settings);
    writeFileSync(path.join(directory, 'code.c'), write('c'));
    run(
      directory,
      'cc',
      '-std=c11',
      '-Wall',
      '-Wextra',
      '-Werror',
      `-I${source}/include`,
      'code.c',
      library,
      '-lcrypto',
      '-lm',
      '-lpthread',
      '-o',
      'code',
    );
    assert.ok(Number.isFinite(Number(run(directory, './code'))));
  });

  test(`SQL: ${nameOf(settings)}`, { skip: extension ? false : 'the SQLite extension was not built' }, () => {
    const directory = place(settings);
    const statements = `.load ${extension.replace(/\.so$/, '')}
CREATE TABLE people(${column} REAL);
.import --csv --skip 1 people.csv people
${write('sql')}
SELECT podium_spec(aggregate) FROM aggregates;
`;
    const output = execFileSync('sqlite3', ['-bail', ':memory:'], {
      cwd: directory,
      input: statements,
      encoding: 'utf8',
    });
    assert.match(output, /"n":2000,/);
    assert.match(
      output,
      new RegExp(`^${settings.mechanism} epsilon=${settings.epsilon} range=${settings.low}:${settings.high}`, 'm'),
    );
  });

  test(`Python parses: ${nameOf(settings)}`, () => {
    run(place(settings), 'python3', '-c', 'import ast, sys; ast.parse(sys.argv[1])', write('python'));
  });
}

test(
  'Python runs',
  { skip: process.env.PODIUM_PYTHON ? false : 'PODIUM_PYTHON names no Python that has the wheel' },
  () => {
    for (const settings of CASES) {
      const [count] = run(work, process.env.PODIUM_PYTHON, '-c', LANGUAGES.python.write(settings)).split(' ');
      assert.equal(Number(count), 2);
    }
  },
);

test('a link keeps every setting', () => {
  for (const settings of CASES) assert.deepEqual(fromHash(`#${toHash(settings)}`), [settings, []]);
});

test('a link has the settings alone, and so no private number', () => {
  assert.deepEqual(
    Object.keys(Object.fromEntries(new URLSearchParams(toHash(DEFAULTS)))).sort(),
    Object.keys(DEFAULTS).sort(),
  );
  assert.ok(!('value' in DEFAULTS));
});

test('a bad link is read as far as it makes sense', () => {
  assert.deepEqual(fromHash(''), [DEFAULTS, []]);
  assert.deepEqual(fromHash('#epsilon=0.3&mechanism=evil&people=7'), [
    { ...DEFAULTS, epsilon: 0.3 },
    ['mechanism', 'people'],
  ]);
  assert.deepEqual(fromHash('#low=9&high=3'), [DEFAULTS, ['low', 'high']]);
  assert.deepEqual(fromHash('#__proto__=1&low=<script>&high=1e400'), [DEFAULTS, ['__proto__', 'low', 'high']]);
});

test("the style sheet has the library's colours", async () => {
  const [light] = readFileSync(path.join(source, 'site/style.css'), 'utf8').split('@media');
  for (const { name, colour } of await mechanisms())
    if (light.includes(`--${name}:`)) assert.ok(light.includes(`--${name}: ${colour};`), name);
});
