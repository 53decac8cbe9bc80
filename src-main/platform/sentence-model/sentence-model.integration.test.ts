import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DIMENSIONS } from './model-protocol.js';
import { SentenceModel } from './sentence-model.js';

const folder = join(import.meta.dirname, '../../../resources/sentence-model');
let model: SentenceModel;

beforeAll(async () => {
  model = await SentenceModel.load(folder);
});

async function vectorsOf(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const all = await model.embed(texts);
  return texts.map((_, at) => all.slice(at * DIMENSIONS, (at + 1) * DIMENSIONS));
}

const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const TOOLS = {
  create_invoice: 'Creates an invoice for a customer and sends it by email.',
  get_weather: 'Forecast of temperature and precipitation for a city.',
  read_file: 'Reads a text file of the workspace.',
  translate_text: 'Turns text from one language into another.',
  book_flight: 'Reserves a seat on an aeroplane.',
  send_message: 'Posts a message to a chat channel.',
  list_meetings: 'Lists the appointments in the calendar.',
};

// No word of a question stands in its tool.
test.each([
  ['charge a client money', 'create_invoice'],
  ['is it going to rain in Paris tomorrow', 'get_weather'],
  ['look at what is inside this document', 'read_file'],
  ['how do you say that in French', 'translate_text'],
  ['get me to New York by plane this Friday', 'book_flight'],
  ['tell my colleagues on Slack', 'send_message'],
  ['what is on my schedule today', 'list_meetings'],
])('“%s” means %s', async (question, wanted) => {
  const names = Object.keys(TOOLS);
  const [asked, ...tools] = await vectorsOf([question, ...Object.values(TOOLS)]);
  const best = tools
    .map((tool, at) => ({ name: names[at], is: cosine(asked ?? tool, tool) }))
    .toSorted((one, other) => other.is - one.is)[0];
  expect(best?.name).toBe(wanted);
});

test('whatever a text is, its vector is of length 1 and the same every time', async () => {
  const texts = [
    '',
    ' ',
    '\u0000\u202E\uFEFF',
    '[CLS] [SEP] [PAD] [MASK] [UNK]',
    'a'.repeat(1_000_000),
    '工具 '.repeat(10_000),
    '\uD800',
    '👩‍👩‍👧‍👦'.repeat(1000),
    'word '.repeat(100_000),
  ];
  const [once, again] = [await vectorsOf(texts), await vectorsOf(texts)];
  expect(once).toEqual(again);
  for (const vector of once) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
});

test('what is longer than it was made for is cut, and not refused', async () => {
  const start = 'Sends an email to a customer. '.repeat(40);
  const [whole, longer] = await vectorsOf([start, `${start} ${'something else entirely '.repeat(500)}`]);
  expect(cosine(whole ?? new Float32Array(), longer ?? new Float32Array())).toBeGreaterThan(0.999);
});

test('a folder without the model is said', async () => {
  await expect(SentenceModel.load(join(folder, 'nothing'))).rejects.toThrow('ENOENT');
});
