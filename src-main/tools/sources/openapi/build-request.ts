import { randomUUID } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { OutsideRequest } from '../../../domain/ports/outside.js';
import type { BodyPlan, OperationPlan } from './operation-plan.js';
import { badArgs, escapeComponent, serializeHeader, serializePath, serializeQuery } from './serialize-parameters.js';

export type PlannedRequest = Pick<OutsideRequest, 'method' | 'url' | 'headers' | 'body'>;

/** The request that an operation with these arguments is. Throws `BadArgs` for what no schema says. */
export function buildRequest(plan: OperationPlan, args: JsonObject): PlannedRequest {
  const headers: Record<string, string> = { accept: 'application/json, text/*;q=0.9, */*;q=0.5' };
  for (const parameter of plan.parameters) {
    const value = readArgument(args, parameter.argument);
    if (parameter.where === 'header' && value !== null)
      headers[parameter.name.toLowerCase()] = serializeHeader(parameter, value);
  }
  const body = plan.body === null ? null : buildBody(plan.body, plan, args);
  if (body !== null) headers['content-type'] = body.type;
  return { method: plan.method, url: buildUrl(plan, args), headers, body: body?.text ?? null };
}

const readArgument = (args: JsonObject, name: string): Json =>
  Object.hasOwn(args, name) ? (args[name] ?? null) : null;

function buildUrl({ server, path, parameters }: OperationPlan, args: JsonObject): string {
  const [template, ownQuery] = splitOnce(path, '?');
  const segments = template.split('/').map((segment) => {
    const written = segment.replaceAll(/\{([^{}]*)\}/gu, (_whole, name: string) => {
      const parameter = parameters.find((each) => each.where === 'path' && each.name === name);
      if (parameter === undefined) return '';
      const value = readArgument(args, parameter.argument);
      refusePathEscape(parameter.argument, value);
      return serializePath(parameter, value);
    });
    // Several parameters may stand in one segment, and be dots together.
    if (segment.includes('{') && /^(?:\.|%2e)*$/iu.test(written))
      throw badArgs(`${segment} would be no part of a path.`);
    return written;
  });
  const query = parameters
    .filter(({ where }) => where === 'query')
    .flatMap((parameter) => serializeQuery(parameter, readArgument(args, parameter.argument)));
  const all = [...(ownQuery === undefined || ownQuery === '' ? [] : [ownQuery]), ...query].join('&');
  return `${server.replace(/\/+$/u, '')}${segments.join('/')}${all === '' ? '' : `?${all}`}`;
}

function splitOnce(text: string, at: string): readonly [string, string?] {
  const place = text.indexOf(at);
  return place === -1 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

/** Refuses a value that a server might read as another place than the document says. */
function refusePathEscape(name: string, value: Json): void {
  if (value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0))
    throw badArgs(`${name} is a part of the path, and can’t be empty.`);
  const texts = typeof value === 'object' ? Object.values(value) : [value];
  for (const text of texts)
    if (typeof text === 'string' && text.split(/[/\\]/u).some((part) => /^\.+$/u.test(part)))
      throw badArgs(`${name} is a part of the path, and can’t be dots.`);
}

function buildBody(
  plan: BodyPlan,
  { parameters }: OperationPlan,
  args: JsonObject,
): { readonly type: string; readonly text: string } | null {
  const value =
    plan.under === null
      ? collectBodyParts(parameters, args)
      : Object.hasOwn(args, plan.under)
        ? args[plan.under]
        : undefined;
  if (value === undefined)
    return plan.isRequired ? { type: plan.mediaType, text: plan.form === 'json' ? '{}' : '' } : null;
  if (plan.under === null && !plan.isRequired && Object.keys(value as JsonObject).length === 0) return null;
  switch (plan.form) {
    case 'json':
      return { type: plan.mediaType, text: JSON.stringify(value) };
    case 'text':
      return {
        type: `${plan.mediaType}; charset=utf-8`,
        text: typeof value === 'string' ? value : JSON.stringify(value),
      };
    case 'urlencoded':
      return { type: plan.mediaType, text: encodeForm(plan, requireObject(value)) };
    case 'multipart': {
      const boundary = `gatehouse-${randomUUID()}`;
      return {
        type: `multipart/form-data; boundary=${boundary}`,
        text: encodeMultipart(plan, requireObject(value), boundary),
      };
    }
  }
}

function collectBodyParts(parameters: OperationPlan['parameters'], args: JsonObject): JsonObject {
  const taken = new Set(parameters.map(({ argument: name }) => name));
  return Object.fromEntries(Object.entries(args).filter(([name]) => !taken.has(name)));
}

function requireObject(value: Json): JsonObject {
  if (!isJsonObject(value)) throw badArgs('The body is a form, so it has to be an object.');
  return value;
}

const encodeForm = ({ parts }: BodyPlan, value: JsonObject): string =>
  Object.entries(value)
    .flatMap(([name, part]) => {
      const { style, explode } = (Object.hasOwn(parts, name) ? parts[name] : undefined) ?? {
        style: 'form',
        explode: true,
      };
      const isJson = isJsonObject(part) && style === 'form';
      return serializeQuery({ name, style, explode, isJson, allowReserved: false }, part);
    })
    .join('&')
    .replaceAll('%20', '+');

const OCTET_STREAM_HEADER = 'content-type: application/octet-stream\r\n';

function encodeMultipart({ files }: BodyPlan, value: JsonObject, boundary: string): string {
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const items = part === null ? [] : Array.isArray(part) ? (part as readonly Json[]) : [part];
    return items.map((item) => {
      const isFile = files.includes(name);
      const type = isFile ? OCTET_STREAM_HEADER : typeof item === 'object' ? 'content-type: application/json\r\n' : '';
      const text = typeof item === 'string' ? item : JSON.stringify(item);
      // Quotes and line breaks as browsers write them in a name.
      const quoted = /^[\w .-]*$/u.test(name) ? name : escapeComponent(name);
      return `--${boundary}\r\ncontent-disposition: form-data; name="${quoted}"${isFile ? `; filename="${quoted}"` : ''}\r\n${type}\r\n${text}\r\n`;
    });
  });
  return `${parts.join('')}--${boundary}--\r\n`;
}
