// Debian's Chromium, driven by playwright-core, and a server of static files on loopback.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Serves a directory below a prefix, because a page may not assume that it is at the root of its host. */
export async function serve(directory, prefix = '/') {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const name = pathname.slice(prefix.length) || 'index.html';
    const body = pathname.startsWith(prefix) && (await readFile(path.join(directory, name)).catch(() => undefined));
    if (!body) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[path.extname(name)] ?? 'application/octet-stream' }).end(body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => new Promise((closed) => (server.closeAllConnections(), server.close(closed)));
  return { url: `http://127.0.0.1:${server.address().port}${prefix}`, close };
}

/** Launches Chromium; packages is the directory whose node_modules has playwright-core. */
export function launch(packages) {
  const { chromium } = createRequire(path.resolve(packages, 'x.js'))('playwright-core');
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}
