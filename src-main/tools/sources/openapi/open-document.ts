import { isJsonObject } from '#contract/vocabulary/json.js';
import { SourceProblem } from '../../../domain/ports/sources/source.js';
import { readDocument } from '../../../platform/reading/data-document.js';
import type { OpenApiDocument } from './operations.js';

/** A text that is an OpenAPI document of a version that is understood. Throws a `SourceProblem`. */
export function openOpenApiDocument(text: string, name: string): OpenApiDocument {
  const refused = (problem: string) => new SourceProblem('refused', `${name}: ${problem}`);
  const read = readDocument(text);
  if (!read.ok) throw refused(read.line === null ? read.problem : `${read.problem} (line ${read.line})`);
  const { value: root } = read;
  if (!isJsonObject(root)) throw refused('It is no OpenAPI document.');
  const { openapi: version } = root;
  if (typeof root['swagger'] === 'string')
    throw refused('It is Swagger 2.0. Convert it to OpenAPI 3 (most services offer both).');
  if (typeof version !== 'string') throw refused('It is no OpenAPI document (it does not say “openapi”).');
  if (!/^3\.[01](?:\.|$)/u.test(version))
    throw refused(`It is OpenAPI ${version.slice(0, 20)}; 3.0 and 3.1 are understood.`);
  return { root, isOld: version.startsWith('3.0') };
}
