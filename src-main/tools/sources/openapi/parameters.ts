import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { type ParameterPlan, type ParameterStyle, PARAMETER_STYLES } from './operation-plan.js';
import { shortenValue, resolveReference, shorten, UnusableOperation } from './references.js';

export interface PlannedParameter {
  readonly plan: Omit<ParameterPlan, 'argument'>;
  readonly schema: Json;
  readonly description: string | null;
  readonly isRequired: boolean;
}

/** Headers that a model has no business to set: who asks, where the request goes, and how it is written. */
const RESERVED_HEADERS = new Set(
  'accept accept-encoding authorization connection content-encoding content-length content-type cookie expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;

/** An operation’s parameters with those of its path, which it may say anew. `set`: headers that the person’s settings have, in lower case. */
export function readParameters(
  root: JsonObject,
  item: JsonObject,
  operation: JsonObject,
  set: ReadonlySet<string>,
): readonly PlannedParameter[] {
  const byPlace = new Map<string, JsonObject>();
  for (const each of [...asList(item['parameters']), ...asList(operation['parameters'])]) {
    const parameter = resolveReference(root, each, 'a parameter');
    byPlace.set(`${shortenValue(parameter['in'])} ${shortenValue(parameter['name'])}`, parameter);
  }
  return [...byPlace.values()].flatMap((parameter): readonly PlannedParameter[] => {
    const { in: where, name } = parameter;
    if (typeof name !== 'string' || name === '') throw new UnusableOperation('has a parameter without a name');
    if (name.toLowerCase() === '__proto__')
      throw new UnusableOperation('has a parameter that no object can hold (__proto__)');
    if (where === 'cookie') return skipCookie(parameter, name, set);
    if (where !== 'path' && where !== 'query' && where !== 'header')
      throw new UnusableOperation(
        `has the parameter ${shorten(name)} in a place that there is none of (${shortenValue(where)})`,
      );
    if (where === 'header') {
      if (!HEADER_NAME.test(name)) throw new UnusableOperation(`has a header that none can be (${shorten(name)})`);
      if (RESERVED_HEADERS.has(name.toLowerCase()) || set.has(name.toLowerCase())) return [];
    }
    return [planParameter(root, parameter, name, where)];
  });
}

const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

/** A session is the person’s: it comes from `headers`, or is not there. */
function skipCookie(parameter: JsonObject, name: string, set: ReadonlySet<string>): readonly never[] {
  if (parameter['required'] === true && !set.has('cookie'))
    throw new UnusableOperation(
      `needs the cookie ${shorten(name)}, which no tool can set: set it under headers, as Cookie`,
    );
  return [];
}

function planParameter(
  root: JsonObject,
  parameter: JsonObject,
  name: string,
  where: ParameterPlan['where'],
): PlannedParameter {
  const content = parameter['content'];
  const [media] = isJsonObject(content) ? Object.entries(content) : [];
  if (media !== undefined && !/^[\w.+-]+\/(?:[\w.-]+\+)?json\b/iu.test(media[0]))
    throw new UnusableOperation(`has the parameter ${shorten(name)} as ${shorten(media[0])}, which can’t be written`);
  const described = media === undefined ? parameter : resolveReference(root, media[1], 'a parameter');
  const usual: ParameterStyle = where === 'query' ? 'form' : 'simple';
  const style = parameter['style'] === undefined ? usual : PARAMETER_STYLES.find((each) => each === parameter['style']);
  if (style === undefined || !ALLOWED_STYLES[where].has(style))
    throw new UnusableOperation(
      `has the parameter ${shorten(name)} in a style that it can’t have (${shortenValue(parameter['style'])})`,
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

const ALLOWED_STYLES: Readonly<Record<ParameterPlan['where'], ReadonlySet<ParameterStyle>>> = {
  path: new Set<ParameterStyle>(['simple', 'label', 'matrix']),
  query: new Set<ParameterStyle>(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']),
  header: new Set<ParameterStyle>(['simple']),
};
