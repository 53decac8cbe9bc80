import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { compileForeignValidator } from '../../platform/json-schema.js';
import { translateDraftFour } from './draft-four.js';
import { describeMisfit } from './describe-misfit.js';

export const MAX_SCHEMA_BYTES = 64 * 1024;
export const MAX_SCHEMA_DEPTH = 64;

export type SchemaAdmission =
  | {
      readonly ok: true;
      /** The schema as models are given it: that of an object, since every protocol expects one there. */
      readonly schema: JsonObject;
      /** Whether it was written as an older draft has it, and is read as what that means. */
      readonly isAsMeant: boolean;
      readonly checkInput: (args: unknown) => string | null;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Admits schemas that others wrote: whatever can be checked is fine. Reports every problem. The schema of a result may
 * be of anything.
 */
export function admitSchema(written: JsonObject, of: 'object' | 'anything' = 'object'): SchemaAdmission {
  // Before anything walks through it.
  if (isDeeperThan(written, MAX_SCHEMA_DEPTH))
    return refuseSchema(`is nested more than ${MAX_SCHEMA_DEPTH} objects and arrays deep`);
  const schema = translateDraftFour(written);
  const problems: string[] = [];
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES)
    problems.push(`is larger than ${MAX_SCHEMA_BYTES / 1024} KiB`);
  if (of === 'object' && !isObjectSchema(schema)) problems.push('has no object at its top (type)');
  const remote = [...new Set(findRemoteReferences(schema))];
  problems.push(...remote.map((reference) => `refers outside itself (${reference.slice(0, 200)})`));
  if (problems.length > 0) return { ok: false, problems };
  const foreign = compileForeignValidator(schema);
  if (!foreign.ok) return { ok: false, problems: foreign.problems };
  return {
    ok: true,
    isAsMeant: schema !== written,
    schema: of === 'object' ? { ...schema, type: 'object' } : schema,
    checkInput: (args) => describeMisfit(foreign.validate(args), of === 'object' ? 'the arguments' : 'the result'),
  };
}

const refuseSchema = (problem: string): SchemaAdmission => ({ ok: false, problems: [problem] });

function isObjectSchema({ type }: JsonObject): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** Own identifiers may be addresses: what they name is inside. Everything else that is not a place in the document is not. */
function findRemoteReferences(schema: JsonObject): readonly string[] {
  const references: string[] = [];
  const ids = new Set<string>();
  const walk = (value: Json): void => {
    if (Array.isArray(value)) for (const child of value) walk(child);
    if (!isJsonObject(value)) return;
    if (typeof value['$id'] === 'string') ids.add(value['$id'].replace(/#.*$/u, ''));
    for (const keyword of ['$ref', '$dynamicRef'] as const) {
      const reference = value[keyword];
      if (typeof reference === 'string' && !reference.startsWith('#')) references.push(reference);
    }
    for (const [keyword, child] of Object.entries(value)) if (!VALUE_KEYWORDS.has(keyword)) walk(child);
  };
  walk(schema);
  // A relative one is put together with an identifier: that one is left to the validator, which has nothing but this document.
  return references.filter(
    (reference) => /^[a-z][a-z0-9+.-]*:/iu.test(reference) && !ids.has(reference.replace(/#.*$/u, '')),
  );
}

/** Values, where what looks like a keyword is none. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['default', 'examples', 'const', 'enum']);

function isDeeperThan(value: Json, most: number): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter((each) => typeof each === 'object' && each !== null);
    if (containers.length > 0 && depth === most) return true;
    level = containers.flatMap((each) => Object.values(each as object) as Json[]);
  }
  return false;
}
