// How to send reports to this collection, as code that is ready to copy. Tests run all of it.

const variable = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : 'answers');
const middleOf = ({ min, max }) => Number(((min + max) / 2).toPrecision(2));

function browser({ collection, host, isOpen }) {
  const name = variable(collection.name);
  const settings = [];
  if (!isOpen) settings.push("token: 'TOKEN'");
  if (collection.key_hours !== 24) settings.push(`keyHours: ${collection.key_hours}`);
  const options = settings.length > 0 ? `, { ${settings.join(', ')} }` : '';
  return `<script type="module">
  import { Collection } from '${host}/client/index.js';
  import { Reporter } from '${host}/client/reporter.js';

  const ${name} = await Collection.parse('${collection.spec}');
  const reporter = new Reporter(${name}, '${host}/v1/collections/${collection.name}/reports'${options});

  // Once for each person, because a second report spends ε again. Only the report leaves the browser.
  await reporter.report(${middleOf(collection)});
  await reporter.flush();
</script>
`;
}

function c({ collection, host, isOpen }) {
  const token = isOpen ? '' : ' -H "Authorization: Bearer $TOKEN"';
  return `#include <podium.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const char *text = "${collection.spec}";
    podium_spec spec;
    podium_error error;
    podium_collection collection;
    double value = ${middleOf(collection)}, report;

    podium_status status = podium_spec_parse(&spec, &error, text, strlen(text));
    if (status == PODIUM_OK)
        status = podium_collection_init(&collection, &spec);
    if (status == PODIUM_OK)
        status = podium_privatize(&collection, &report, &value, 1);
    if (status != PODIUM_OK) {
        fprintf(stderr, "podium: %s\\n", podium_status_message(status));
        return 1;
    }
    printf("{\\"reports\\": [%.17g]}\\n", report); /* send this, and never the value */
    return 0;
}
/* cc report.c -o report $(pkg-config --cflags --libs podium)
   ./report | curl${token} -H "Content-Type: application/json" \\
       --data-binary @- ${host}/v1/collections/${collection.name}/reports */
`;
}

function python({ collection, host, isOpen }) {
  const name = variable(collection.name);
  const token = isOpen ? '' : '\n    "Authorization": "Bearer TOKEN",';
  return `import json
import urllib.request
import uuid

import podium

${name} = podium.Collection("${collection.spec}")
reports = [float(report) for report in ${name}.privatize([${middleOf(collection)}])]  # send these, and never the values

url = "${host}/v1/collections/${collection.name}/reports"
body = json.dumps({"reports": reports, "fingerprint": "${collection.fingerprint}"}).encode()
headers = {${token}
    "Content-Type": "application/json",
    "Idempotency-Key": str(uuid.uuid4()),  # the same one when you send the same reports again
}
with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
    print(answer.read().decode())
`;
}

function shell({ collection, host, isOpen }) {
  const token = isOpen ? '' : ' -H "Authorization: Bearer $TOKEN"';
  return `# The numbers stay where they are; only reports leave.
echo ${middleOf(collection)} | podium privatize --collection '${collection.spec}' --header no |
    curl${token} -H 'Content-Type: application/x-ndjson' \\
    -H "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' ')" \\
    --data-binary @- '${host}/v1/collections/${collection.name}/reports?fingerprint=${collection.fingerprint}'
`;
}

/** By language: what stands above the code, the code, and a note */
export const LANGUAGES = {
  browser: {
    title: 'Browser',
    write: browser,
    note: 'A page of another origin needs the permission of whoever runs this server (--origin).',
  },
  python: { title: 'Python', write: python, note: 'The wheel is built by make python.' },
  c: { title: 'C', write: c, note: 'The library is built by make, and installed by make install.' },
  shell: { title: 'Shell', write: shell, note: 'The program podium is built by make.' },
};
