import { isJsonObject } from '#contract/vocabulary/json.js';
import type { AdvertisedTool } from '../../../domain/ports/gate/gate.js';
import { isBuiltinTool, getToolSource } from '../../../domain/tool/tool-identity.js';
import { sha256 } from '../../../platform/digest.js';
import { BUILTIN_SYNONYMS } from './builtin-synonyms.js';
import { extractWords } from './extract-words.js';

/** A tool as it is searched for. */
export interface SearchEntry {
  readonly tool: AdvertisedTool;
  readonly source: string;
  readonly isOurs: boolean;
  /** The text that the embedding is made from. */
  readonly text: string;
  /** The digest of that text: as long as it is the same, so is its embedding. */
  readonly digest: string;
  readonly words: {
    readonly ofName: ReadonlySet<string>;
    readonly ofSource: ReadonlySet<string>;
    readonly ofDescription: ReadonlySet<string>;
    readonly ofParameters: ReadonlySet<string>;
  };
}

/** The part of a description that counts: what comes after so many characters no longer says what the tool is. */
const MAX_DESCRIPTION_LENGTH = 1500;
const MAX_PARAMETERS = 40;

export function toSearchEntry(tool: AdvertisedTool): SearchEntry {
  const source = getToolSource(tool.id);
  const ours = isBuiltinTool(tool.id);
  const operation = splitName(tool.id.slice(source.length + 1));
  const { properties } = tool.inputSchema;
  const parameters =
    properties !== undefined && isJsonObject(properties) ? Object.keys(properties).slice(0, MAX_PARAMETERS) : [];
  const description =
    `${tool.description.slice(0, MAX_DESCRIPTION_LENGTH)} ${BUILTIN_SYNONYMS[tool.id] ?? ''}`.trimEnd();
  // Names of parameters are left to the words: most are the same everywhere, and say of no tool what it is for.
  const text = `${operation}. ${description} ${ours ? '' : splitName(source)}`.trimEnd();
  return {
    tool,
    source,
    isOurs: ours,
    text,
    digest: sha256(text),
    words: {
      ofName: extractWords(operation),
      ofSource: ours ? new Set() : extractWords(splitName(source)),
      ofDescription: extractWords(description),
      ofParameters: extractWords(parameters.map(splitName).join(' ').slice(0, MAX_DESCRIPTION_LENGTH)),
    },
  };
}

const splitName = (name: string): string =>
  name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_.-]+/gu, ' ')
    .toLowerCase();
