import { isJsonObject, type Json } from '../json.js';

export interface JsonStep {
  readonly value: unknown;
  /** 1 for the value that is walked. */
  readonly depth: number;
}

/** Walks a value and all that is in it, each before what it holds, with a stack of its own: depth can't hurt it. */
export function* walkJson(root: unknown): Generator<JsonStep, void, void> {
  const waiting: JsonStep[] = [{ value: root, depth: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const { value, depth } = next;
    if (typeof value === 'object' && value !== null)
      for (const child of Object.values(value)) waiting.push({ value: child, depth: depth + 1 });
  }
}

/** The same value with other texts in it, and other names where these are changed as well. */
export function mapTexts(value: Json, change: (text: string) => string, changeName = (name: string) => name): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each: Json) => mapTexts(each, change, changeName));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [changeName(name), mapTexts(each, change, changeName)]),
  );
}
