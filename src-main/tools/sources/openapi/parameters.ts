import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { type ParameterPlan, type Style, STYLES } from './plan.js';
import { asShown, followed, shown, Unusable } from './references.js';

export interface OfferedParameter {
  readonly plan: Omit<ParameterPlan, 'argument'>;
  readonly schema: Json;
  readonly description: string | null;
  readonly isRequired: boolean;
}

/** Headers that a model has no business to set: who asks, where the request goes, and how it is written. */
const NOT_OFFERED = new Set(
  'accept accept-encoding authorization connection content-encoding content-length content-type cookie expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;

/** An operation’s parameters with those of its path, which it may say anew. `set`: headers that the person’s settings have, in lower case. */
export function offeredParameters(
  root: JsonObject,
  item: JsonObject,
  operation: JsonObject,
  set: ReadonlySet<string>,
): readonly OfferedParameter[] {
  const byPlace = new Map<string, JsonObject>();
  for (const each of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = followed(root, each, 'a parameter');
    byPlace.set(`${asShown(parameter['in'])} ${asShown(parameter['name'])}`, parameter);
  }
  return [...byPlace.values()].flatMap((parameter): readonly OfferedParameter[] => {
    const { in: where, name } = parameter;
    if (typeof name !== 'string' || name === '') throw new Unusable('has a parameter without a name');
    if (name.toLowerCase() === '__proto__') throw new Unusable('has a parameter that no object can hold (__proto__)');
    if (where === 'cookie') return cookie(parameter, name, set);
    if (where !== 'path' && where !== 'query' && where !== 'header')
      throw new Unusable(`has the parameter ${shown(name)} in a place that there is none of (${asShown(where)})`);
    if (where === 'header') {
      if (!HEADER_NAME.test(name)) throw new Unusable(`has a header that none can be (${shown(name)})`);
      if (NOT_OFFERED.has(name.toLowerCase()) || set.has(name.toLowerCase())) return [];
    }
    return [offered(root, parameter, name, where)];
  });
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

/** A session is the person’s: it comes from `headers`, or is not there. */
function cookie(parameter: JsonObject, name: string, set: ReadonlySet<string>): readonly never[] {
  if (parameter['required'] === true && !set.has('cookie'))
    throw new Unusable(`needs the cookie ${shown(name)}, which no tool can set: set it under headers, as Cookie`);
  return [];
}

function offered(
  root: JsonObject,
  parameter: JsonObject,
  name: string,
  where: ParameterPlan['where'],
): OfferedParameter {
  const content = parameter['content'];
  const [media] = isJsonObject(content) ? Object.entries(content) : [];
  if (media !== undefined && !/^[\w.+-]+\/(?:[\w.-]+\+)?json\b/iu.test(media[0]))
    throw new Unusable(`has the parameter ${shown(name)} as ${shown(media[0])}, which can’t be written`);
  const described = media === undefined ? parameter : followed(root, media[1], 'a parameter');
  const usual: Style = where === 'query' ? 'form' : 'simple';
  const style = parameter['style'] === undefined ? usual : STYLES.find((each) => each === parameter['style']);
  if (style === undefined || !ALLOWED[where].has(style))
    throw new Unusable(
      `has the parameter ${shown(name)} in a style that it can’t have (${asShown(parameter['style'])})`,
    );
  return {
    plan: {
      name,
      where,
      style,
      explode: parameter['explode'] === undefined ? style === 'form' : parameter['explode'] === true,
      allowReserved: parameter['allowReserved'] === true,
      isJson: media !== undefined,
    },
    schema: described['schema'] ?? {},
    description: typeof parameter['description'] === 'string' ? parameter['description'] : null,
    isRequired: parameter['required'] === true || where === 'path',
  };
}

const ALLOWED: Readonly<Record<ParameterPlan['where'], ReadonlySet<Style>>> = {
  path: new Set<Style>(['simple', 'label', 'matrix']),
  query: new Set<Style>(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']),
  header: new Set<Style>(['simple']),
};
