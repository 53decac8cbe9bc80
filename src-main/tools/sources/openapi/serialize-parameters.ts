import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import type { ParameterPlan, ParameterStyle } from './operation-plan.js';

export const badArgs = (message: string): ToolFailure => new ToolFailure({ code: 'BadArgs', message });

type SerializationStyle = Pick<ParameterPlan, 'name' | 'style' | 'explode' | 'isJson'>;
type EscapeText = (text: string) => string;

const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
/** Entries that have a value: an argument that was left out, `null` and an empty list are written as nothing. */
const presentEntries = (object: JsonObject): ReadonlyArray<readonly [string, Json]> =>
  Object.entries(object).filter(([, value]) => value !== null);

/** Escapes as `encodeURIComponent` does, and also what that leaves and a server may read as more. */
export const escapeComponent: EscapeText = (text) =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/gu,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const RESERVED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|5B|5D)/gu;
/**
 * Escapes a value of a query, leaving reserved characters that mean themselves there, but not those that would end the
 * value or the query.
 */
const escapeQuery: EscapeText = (text) =>
  escapeComponent(text).replaceAll(RESERVED, (mark) => decodeURIComponent(mark));

/** A parameter of the path: one piece of it, or more where its style says so. */
export function serializePath(plan: SerializationStyle, value: Json): string {
  const { name, style, explode, isJson } = plan;
  if (isJson) return escapeComponent(JSON.stringify(value));
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const between = !explode || style === 'simple' ? ',' : prefix;
  const named = style === 'matrix' ? `${escapeComponent(name)}=` : '';
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => escapeComponent(toText(item)));
    return explode && style === 'matrix'
      ? items.map((item) => `;${named}${item}`).join('')
      : `${prefix}${named}${items.join(between)}`;
  }
  if (!isJsonObject(value)) return `${prefix}${named}${escapeComponent(toText(value))}`;
  const entries = presentEntries(value).map(
    ([key, item]) => [escapeComponent(key), escapeComponent(toText(item))] as const,
  );
  return explode
    ? `${prefix}${entries.map((entry) => entry.join('=')).join(between)}`
    : `${prefix}${named}${entries.flat().join(',')}`;
}

/** `name=value` pairs, escaped; none where there is nothing. */
export function serializeQuery(
  plan: SerializationStyle & { readonly allowReserved: boolean },
  value: Json,
): readonly string[] {
  const { name, style, explode, isJson, allowReserved } = plan;
  const escape = allowReserved ? escapeQuery : escapeComponent;
  const pair = (key: string, item: string): string => `${escapeComponent(key)}=${item}`;
  if (value === null) return [];
  if (isJson) return [pair(name, escape(JSON.stringify(value)))];
  if (style === 'deepObject')
    return isJsonObject(value) ? serializeDeepObject(name, value, escape) : [pair(name, escape(toText(value)))];
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => escape(toText(item)));
    if (items.length === 0) return [];
    return explode ? items.map((item) => pair(name, item)) : [pair(name, items.join(DELIMITERS[style] ?? ','))];
  }
  if (!isJsonObject(value)) return [pair(name, escape(toText(value)))];
  const entries = presentEntries(value);
  if (entries.length === 0) return [];
  return explode
    ? entries.map(([key, item]) => pair(key, escape(toText(item))))
    : [
        pair(
          name,
          entries.map(([key, item]) => `${escape(key)},${escape(toText(item))}`).join(DELIMITERS[style] ?? ','),
        ),
      ];
}

const DELIMITERS: Partial<Readonly<Record<ParameterStyle, string>>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

function serializeDeepObject(name: string, object: JsonObject, escape: EscapeText): readonly string[] {
  return presentEntries(object).flatMap(([key, value]) => {
    const inner = `${name}[${key}]`;
    if (isJsonObject(value)) return serializeDeepObject(inner, value, escape);
    const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
    return items.map((item) => `${escapeComponent(inner)}=${escape(toText(item))}`);
  });
}

/** A header’s value. What would end its line, or is no character of a header, is refused. */
export function serializeHeader({ name, explode, isJson }: SerializationStyle, value: Json): string {
  const text = headerText(value, explode, isJson);
  if (/[^\t\u0020-\u007e\u0080-\u00ff]/u.test(text))
    throw badArgs(`${name} goes into a header, which can hold neither line breaks nor characters beyond Latin-1.`);
  return text;
}

function headerText(value: Json, explode: boolean, isJson: boolean): string {
  if (isJson) return JSON.stringify(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(toText).join(',');
  if (!isJsonObject(value)) return toText(value);
  return presentEntries(value)
    .map(([key, item]) => `${key}${explode ? '=' : ','}${toText(item)}`)
    .join(',');
}
