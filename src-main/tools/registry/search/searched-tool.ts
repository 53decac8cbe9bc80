import { isJsonObject } from '#contract/vocabulary/json.js';
import type { AdvertisedTool } from '../../../domain/ports/gate/gate.js';
import { isBuiltinTool, getToolSource } from '../../../domain/tool/tool-identity.js';
import { sha256 } from '../../../platform/digest.js';
import { IN_OTHER_WORDS } from './other-words.js';
import { wordsOf } from './words.js';

/** A tool as it is searched for. */
export interface SearchedTool {
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
const LONGEST_DESCRIPTION = 1500;
const MOST_PARAMETERS = 40;

export function searchedTool(tool: AdvertisedTool): SearchedTool {
  const source = getToolSource(tool.id);
  const ours = isBuiltinTool(tool.id);
  const operation = apart(tool.id.slice(source.length + 1));
  const { properties } = tool.inputSchema;
  const parameters =
    properties !== undefined && isJsonObject(properties) ? Object.keys(properties).slice(0, MOST_PARAMETERS) : [];
  const description = `${tool.description.slice(0, LONGEST_DESCRIPTION)} ${IN_OTHER_WORDS[tool.id] ?? ''}`.trimEnd();
  // Names of parameters are left to the words: most are the same everywhere, and say of no tool what it is for.
  const text = `${operation}. ${description} ${ours ? '' : apart(source)}`.trimEnd();
  return {
    tool,
    source,
    isOurs: ours,
    text,
    digest: sha256(text),
    words: {
      ofName: wordsOf(operation),
      ofSource: ours ? new Set() : wordsOf(apart(source)),
      ofDescription: wordsOf(description),
      ofParameters: wordsOf(parameters.map(apart).join(' ').slice(0, LONGEST_DESCRIPTION)),
    },
  };
}

const apart = (name: string): string =>
  name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_.-]+/gu, ' ')
    .toLowerCase();
