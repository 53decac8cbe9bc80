import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import type { ParameterPlan, Style } from './plan.js';

export const badArgs = (message: string): ToolFailure => new ToolFailure({ code: 'BadArgs', message });

type Written = Pick<ParameterPlan, 'name' | 'style' | 'explode' | 'isJson'>;
type Escape = (text: string) => string;

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
/** Entries that have a value: an argument that was left out, `null` and an empty list are written as nothing. */
const given = (object: JsonObject): ReadonlyArray<readonly [string, Json]> =>
  Object.entries(object).filter(([, value]) => value !== null);

/** Escapes as `encodeURIComponent` does, and also what that leaves and a server may read as more. */
export const escaped: Escape = (text) =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/gu,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const RESERVED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|5B|5D)/gu;
/**
 * Escapes a value of a query, leaving reserved characters that mean themselves there, but not those that would end the
 * value or the query.
 */
const reserved: Escape = (text) => escaped(text).replaceAll(RESERVED, (mark) => decodeURIComponent(mark));

/** A parameter of the path: one piece of it, or more where its style says so. */
export function inPath(plan: Written, value: Json): string {
  const { name, style, explode, isJson } = plan;
  if (isJson) return escaped(JSON.stringify(value));
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const between = !explode || style === 'simple' ? ',' : prefix;
  const named = style === 'matrix' ? `${escaped(name)}=` : '';
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => escaped(asText(item)));
    return explode && style === 'matrix'
      ? items.map((item) => `;${named}${item}`).join('')
      : `${prefix}${named}${items.join(between)}`;
  }
  if (!isJsonObject(value)) return `${prefix}${named}${escaped(asText(value))}`;
  const entries = given(value).map(([key, item]) => [escaped(key), escaped(asText(item))] as const);
  return explode
    ? `${prefix}${entries.map((entry) => entry.join('=')).join(between)}`
    : `${prefix}${named}${entries.flat().join(',')}`;
}

/** `name=value` pairs, escaped; none where there is nothing. */
export function inQuery(plan: Written & { readonly allowReserved: boolean }, value: Json): readonly string[] {
  const { name, style, explode, isJson, allowReserved } = plan;
  const escape = allowReserved ? reserved : escaped;
  const pair = (key: string, item: string): string => `${escaped(key)}=${item}`;
  if (value === null) return [];
  if (isJson) return [pair(name, escape(JSON.stringify(value)))];
  if (style === 'deepObject')
    return isJsonObject(value) ? deep(name, value, escape) : [pair(name, escape(asText(value)))];
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => escape(asText(item)));
    if (items.length === 0) return [];
    return explode ? items.map((item) => pair(name, item)) : [pair(name, items.join(BETWEEN[style] ?? ','))];
  }
  if (!isJsonObject(value)) return [pair(name, escape(asText(value)))];
  const entries = given(value);
  if (entries.length === 0) return [];
  return explode
    ? entries.map(([key, item]) => pair(key, escape(asText(item))))
    : [pair(name, entries.map(([key, item]) => `${escape(key)},${escape(asText(item))}`).join(BETWEEN[style] ?? ','))];
}

const BETWEEN: Partial<Readonly<Record<Style, string>>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

function deep(name: string, object: JsonObject, escape: Escape): readonly string[] {
  return given(object).flatMap(([key, value]) => {
    const inner = `${name}[${key}]`;
    if (isJsonObject(value)) return deep(inner, value, escape);
    const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
    return items.map((item) => `${escaped(inner)}=${escape(asText(item))}`);
  });
}

/** A header’s value. What would end its line, or is no character of a header, is refused. */
export function inHeader({ name, explode, isJson }: Written, value: Json): string {
  const text = headerText(value, explode, isJson);
  if (/[^\t\u0020-\u007e\u0080-\u00ff]/u.test(text))
    throw badArgs(`${name} goes into a header, which can hold neither line breaks nor characters beyond Latin-1.`);
  return text;
}

function headerText(value: Json, explode: boolean, isJson: boolean): string {
  if (isJson) return JSON.stringify(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(asText).join(',');
  if (!isJsonObject(value)) return asText(value);
  return given(value)
    .map(([key, item]) => `${key}${explode ? '=' : ','}${asText(item)}`)
    .join(',');
}
