// Converts units, to try tools of LangChain with: node server.mjs [port]
import { createServer } from 'node:http';

const METRES = { m: 1, km: 1000, cm: 0.01, in: 0.0254, ft: 0.3048, mi: 1609.344 };
const TO_KELVIN = { C: (x) => x + 273.15, F: (x) => ((x - 32) * 5) / 9 + 273.15, K: (x) => x };
const FROM_KELVIN = { C: (x) => x - 273.15, F: (x) => ((x - 273.15) * 9) / 5 + 32, K: (x) => x };

const CONVERTERS = {
  '/convert_length': ({ value, from, to }) => (value * METRES[from]) / METRES[to],
  '/convert_temperature': ({ value, from, to }) => FROM_KELVIN[to](TO_KELVIN[from](value)),
};

async function serve(request, response) {
  const answer = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const convert = Object.hasOwn(CONVERTERS, request.url) ? CONVERTERS[request.url] : undefined;
  if (request.method !== 'POST' || convert === undefined) return answer(404, { error: 'There is no such tool here.' });
  let text = '';
  for await (const part of request) text += part;
  try {
    const asked = JSON.parse(text);
    const result = Number(convert(asked).toPrecision(10));
    return answer(200, { value: result, unit: asked.to });
  } catch {
    return answer(400, { error: 'It needs a value, and the units “from” and “to”.' });
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.writeHead(400).end());
});

server.listen(Number(process.argv[2] ?? 8932), '127.0.0.1', () =>
  process.stdout.write(`Units are converted at http://127.0.0.1:${server.address().port}\n`),
);
