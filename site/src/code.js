// The settings as commands and code, ready to copy. Tests run all of it.
import { QUESTIONS, TITLES, specOf } from './settings.js';

const C_NAMES = {
  podium: 'PODIUM_MECHANISM_PODIUM',
  minimax: 'PODIUM_MECHANISM_MINIMAX',
  'square-wave': 'PODIUM_MECHANISM_SQUARE_WAVE',
  laplace: 'PODIUM_MECHANISM_LAPLACE',
};

function planFlags({ goal, about, within, share, asked, confidence, epsilon }) {
  const flags = [];
  if (goal !== 'people') flags.push(`--people ${asked}`);
  if (goal !== 'epsilon') flags.push(`--epsilon ${epsilon}`);
  if (goal !== 'within') flags.push(about === 'histogram' ? `--share ${share}` : `--within ${within}`);
  if (about === 'median') flags.push('--quantile 0.5');
  if (about === 'histogram') flags.push('--histogram 10');
  if (confidence !== 0.95) flags.push(`--confidence ${confidence}`);
  return flags.join(' ');
}

export function planCommand(settings) {
  return `podium plan --range ${settings.low}:${settings.high} ${planFlags(settings)} --all`;
}

function shell(settings) {
  const { low, high, epsilon, mechanism, question } = settings;
  const { column } = QUESTIONS[question];
  return `# Fix the collection before anybody answers. The file is public.
podium design --mechanism ${mechanism} --range ${low}:${high} --epsilon ${epsilon} \\
    --name ${column} -o ${column}.podium

# Where the numbers are, in the column "${column}" of people.csv. Only reports may leave.
podium privatize --collection ${column}.podium --column ${column} people.csv -o reports.csv

# Where the reports arrive
podium aggregate --collection ${column}.podium --column ${column} reports.csv \\
    -o ${column}.aggregate
podium estimate ${column}.aggregate --quantiles 0.25,0.5,0.75 --histogram 20

# What to promise, how the mechanisms compare, and how many people it takes
podium explain --collection ${column}.podium
podium compare --range ${low}:${high} --epsilon ${epsilon}
${planCommand(settings)}
`;
}

/** A second number for the examples, because one report tells nothing */
const another = ({ low, high }) => Number(((low + high) / 2).toPrecision(3));

function javascript(settings) {
  const { column, example } = QUESTIONS[settings.question];
  return `import { Collection } from 'podium-privacy';

const ${column} = await Collection.parse('${specOf(settings)}');

// On the person's side: once for each value, because a second report spends ε again
const reports = ${column}.privatize([${example}, ${another(settings)}]);

// Where the reports arrive
const sums = ${column}.aggregate();
sums.add(reports);
const { mean, lower, upper } = sums.summary({ quantiles: [0.5], histogram: 20 });
console.log(sums.count, mean, lower, upper);
`;
}

function python(settings) {
  const { column, example } = QUESTIONS[settings.question];
  return `import podium

${column} = podium.Collection("${specOf(settings)}")

# On the person's side: once for each value, because a second report spends ε again
reports = ${column}.privatize([${example}, ${another(settings)}])

# Where the reports arrive
estimate = ${column}.aggregate(reports).summary(quantiles=[0.5], bins=20)
print(estimate.count, estimate.mean, estimate.lower, estimate.upper)
`;
}

function sql(settings) {
  const { column } = QUESTIONS[settings.question];
  const spec = specOf(settings);
  return `-- PostgreSQL: CREATE EXTENSION podium;    SQLite: .load ./podium

-- The only statement that sees a number: run it where the numbers are.
CREATE TABLE reports AS
    SELECT podium_privatize(${column}, '${spec}') AS report FROM people;

-- Where the reports arrive
SELECT podium_estimate(report, '${spec}') FROM reports;

-- What they add up to, to store, to send and to merge
CREATE TABLE aggregates AS
    SELECT podium_aggregate(report, '${spec}') AS aggregate FROM reports;
`;
}

function c(settings) {
  const { low, high, epsilon, mechanism, question } = settings;
  const { column, example } = QUESTIONS[question];
  return `#include <podium.h>
#include <stdio.h>

int main(void) {
    podium_spec spec = {.mechanism = ${C_NAMES[mechanism]}, .epsilon = ${epsilon}, .min = ${low}, .max = ${high}};
    podium_collection ${column};
    double value = ${example}, report;

    podium_status status = podium_collection_init(&${column}, &spec);
    if (status == PODIUM_OK)
        status = podium_privatize(&${column}, &report, &value, 1);
    if (status != PODIUM_OK) {
        fprintf(stderr, "podium: %s\\n", podium_status_message(status));
        return 1;
    }
    printf("%.17g\\n", report); /* send this, and never the value */
    return 0;
}
/* cc ${column}.c -o ${column} $(pkg-config --cflags --libs podium) */
`;
}

/** By language: what stands above the code, and the code */
export const LANGUAGES = {
  shell: { title: 'Shell', write: shell },
  javascript: { title: 'JavaScript', write: javascript },
  python: { title: 'Python', write: python },
  sql: { title: 'SQL', write: sql },
  c: { title: 'C', write: c },
};

/** What a consent form may say, from the numbers of `podium explain`. */
export function consent(settings, odds, chance) {
  return `Your answer stays on your device. The device sends a number that it draws at random, with chances that \
depend on your answer. Nobody can be sure from it what you answered: if somebody believes something about your answer \
with a chance of 1 in 100, what you send can raise that to at most ${chance(odds.chances[0].most)}. We see that you \
took part. We use what many people send to estimate averages.`;
}

export const mechanismTitle = (name) => TITLES[name];
