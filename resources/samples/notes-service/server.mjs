// A service for notes, to try OpenAPI tools with: node server.mjs [port]
import { createServer } from 'node:http';

const notes = new Map();
let last = 0;

async function serve(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const answer = (status, body) => {
    response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const [, place, id] = pathname.split('/').map(decodeURIComponent);
  const note = id === undefined ? undefined : notes.get(id);
  if (place !== 'notes') return answer(404, { error: 'There is nothing here. Try /notes.' });
  let given = {};
  if (request.method === 'POST' || request.method === 'PATCH') {
    let text = '';
    for await (const part of request) text += part;
    try {
      given = JSON.parse(text);
    } catch {
      return answer(400, { error: 'The body is no JSON.' });
    }
  }
  if (id === undefined && request.method === 'GET') {
    const tags = searchParams.getAll('tag');
    const found = [...notes.values()].toReversed();
    const wanted = found.filter((each) => tags.length === 0 || each.tags.some((tag) => tags.includes(tag)));
    return answer(200, { notes: wanted.slice(0, Number(searchParams.get('limit') ?? 20)) });
  }
  if (id === undefined && request.method === 'POST') {
    if (typeof given.text !== 'string' || given.text === '') return answer(400, { error: 'A note needs a text.' });
    const added = { id: String((last += 1)), text: given.text, tags: given.tags ?? [] };
    notes.set(added.id, added);
    return answer(201, added);
  }
  if (note === undefined) return answer(404, { error: `There is no note ${id}.` });
  if (request.method === 'GET') return answer(200, note);
  if (request.method === 'PATCH') {
    const { text = note.text, tags = note.tags } = given;
    notes.set(id, { ...note, text, tags });
    return answer(200, notes.get(id));
  }
  if (request.method === 'DELETE') {
    notes.delete(id);
    return answer(204);
  }
  return answer(405, { error: `${request.method} can’t be used here.` });
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.writeHead(400).end());
});

server.listen(Number(process.argv[2] ?? 8931), '127.0.0.1', () =>
  process.stdout.write(`Notes are at http://127.0.0.1:${server.address().port}/notes\n`),
);
