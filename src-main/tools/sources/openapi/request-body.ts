import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { type BodyPlan, type ParameterStyle, PARAMETER_STYLES } from './operation-plan.js';
import { resolveReference, shorten, UnusableOperation } from './references.js';

export interface RequestBody {
  readonly plan: BodyPlan;
  readonly schema: Json;
  /** The body's schema with its references resolved; null where that is none. */
  readonly top: JsonObject | null;
}

/** The body that an operation takes, in the form that it is asked with; null where it takes none. */
export function readRequestBody(root: JsonObject, operation: JsonObject): RequestBody | null {
  if (operation['requestBody'] === undefined) return null;
  const body = resolveReference(root, operation['requestBody'], 'a body');
  const content = isJsonObject(body['content']) ? body['content'] : {};
  const types = Object.keys(content);
  if (types.length === 0) return null;
  const chosen = BODY_FORMS.flatMap(([form, fits]) => {
    const type = types.find((each) => fits.test(each));
    return type === undefined ? [] : [{ form, type }];
  })[0];
  if (chosen === undefined) throw new UnusableOperation(`takes ${shorten(types.join(', '))}, which can’t be asked for`);
  const media = resolveReference(root, content[chosen.type], 'a body');
  const schema = media['schema'] ?? {};
  const top = isJsonObject(schema) ? resolveReference(root, schema, 'a body’s schema') : null;
  const isJsonAnyhow = chosen.form === 'json' && chosen.type.includes('*');
  return {
    plan: {
      mediaType: isJsonAnyhow ? 'application/json' : chosen.type,
      form: chosen.form,
      under: null,
      isRequired: body['required'] === true,
      parts: readPartStyles(media['encoding']),
      files: findFileParts(root, top),
    },
    schema,
    top,
  };
}

const BODY_FORMS: ReadonlyArray<readonly [BodyPlan['form'], RegExp]> = [
  ['json', /^application\/json\s*(?:;|$)/iu],
  ['json', /^[\w.+-]+\/[\w.-]+\+json\s*(?:;|$)/iu],
  ['urlencoded', /^application\/x-www-form-urlencoded\s*(?:;|$)/iu],
  ['multipart', /^multipart\/form-data\s*(?:;|$)/iu],
  ['json', /^(?:\*|application)\/\*\s*(?:;|$)/iu],
  ['text', /^text\/(?:plain|markdown|csv|html|\*)\s*(?:;|$)/iu],
];

function readPartStyles(encoding: Json | undefined): BodyPlan['parts'] {
  if (!isJsonObject(encoding)) return {};
  return Object.fromEntries(
    Object.entries(encoding).flatMap(([name, said]) => {
      if (!isJsonObject(said) || said['style'] === undefined) return [];
      const style = PARAMETER_STYLES.find((each) => each === said['style']) ?? ('form' satisfies ParameterStyle);
      return [[name, { style, explode: said['explode'] === undefined ? style === 'form' : said['explode'] === true }]];
    }),
  );
}

function findFileParts(root: JsonObject, top: JsonObject | null): readonly string[] {
  const properties = top?.['properties'];
  if (!isJsonObject(properties)) return [];
  return Object.keys(properties).filter((name) => {
    let property = resolveReference(root, properties[name], 'a property');
    if (isJsonObject(property['items'])) property = resolveReference(root, property['items'], 'a property');
    return property['format'] === 'binary' || property['contentMediaType'] === 'application/octet-stream';
  });
}
