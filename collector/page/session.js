// Tokens: from the fragment of a link, which never reaches the server, or from the person. They stay in this tab.

const key = (scope, name) => `podiumd ${scope} ${name}`;

export const tokenFor = (scope, name) => sessionStorage.getItem(key(scope, name)) ?? undefined;
export const keepToken = (scope, name, token) => sessionStorage.setItem(key(scope, name), token);
export const forgetToken = (scope, name) => sessionStorage.removeItem(key(scope, name));

/** Removes the tokens from the address, so that they are in no history and no picture of the screen. */
function clean(fragment) {
  history.replaceState(null, '', location.pathname + fragment);
}

/** Reads `#age` or `#age:TOKEN`, and returns the name. */
export function readLiveLink() {
  const [name, token] = decodeURIComponent(location.hash.slice(1)).split(':');
  if (token) keepToken('read', name, token);
  if (token) clean(`#${name}`);
  return name;
}

/** Reads `#TOKEN` or `#TOKEN,TOKEN`; a token begins with what it is for. */
export function readJoinLink(name) {
  for (const token of decodeURIComponent(location.hash.slice(1)).split(',')) {
    const scope = token.match(/^podium_(write|read)_/)?.[1];
    if (scope !== undefined) keepToken(scope, name, token);
  }
  if (location.hash !== '') clean('');
}

/** The header that a request needs, if it needs any. */
export function authorization(scope, name) {
  const token = tokenFor(scope, name);
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** What the server collects: its collections, and whether it asks for tokens. */
export async function readCollections() {
  const response = await fetch('/v1/collections', { cache: 'no-store' });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.json();
}
