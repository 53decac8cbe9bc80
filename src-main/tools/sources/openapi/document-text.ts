import { resolve } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { parseAddress } from '../../../domain/outside/address.js';
import type { SettingHeaders } from '../../../domain/outside/setting-headers.js';
import { type Outside, OutsideProblem } from '../../../domain/ports/outside.js';
import { type SourceOptions, SourceProblem } from '../../../domain/ports/sources/source.js';
import { readTextFile } from '../../../platform/reading/text-file.js';
import { createServedText, type ServedText } from '../../served-text.js';
import { readFirstServer } from './servers.js';

export const MAX_DOCUMENT_BYTES = 16 * 2 ** 20;
const WITHIN_MS = 30_000;
interface DocumentText extends ServedText {
  /** The document's name as it is shown. */
  readonly name: string;
}

/**
 * Reads a file each time: its text is that of now. A served document is fetched once, and later again in the
 * background.
 */
export function createDocumentText(
  { settings, dataFolder }: SourceOptions,
  outside: Outside,
  headers: SettingHeaders,
  onChange: () => void,
): DocumentText {
  const { file, url } = settings;
  if (file !== undefined) {
    const path = resolve(dataFolder, file);
    return { name: path, text: async () => readDocumentFile(path), close: () => undefined };
  }
  const address = url ?? '';
  const served = createServedText(
    (signal) => fetchDocument(outside, address, headers, settings.base_url, signal),
    onChange,
  );
  return { name: address, ...served };
}

function readDocumentFile(path: string): string {
  const read = readTextFile(path, MAX_DOCUMENT_BYTES);
  if (!read.ok) throw new SourceProblem('refused', `${path}: ${read.problem}`);
  return read.text;
}

async function fetchDocument(
  outside: Outside,
  url: string,
  headers: SettingHeaders,
  baseUrl: string | undefined,
  stop: AbortSignal,
): Promise<string> {
  const { origin } = new URL(url);
  // What is for where the requests go is not told to where only the document is.
  const isHome = baseUrl === undefined || readOrigin(baseUrl) === readOrigin(origin);
  try {
    const answer = await outside.send(
      {
        method: 'GET',
        url,
        within: origin,
        headers: {
          ...(isHome ? headers.plain : {}),
          accept: 'application/json, application/yaml;q=0.9, text/*;q=0.8, */*;q=0.5',
        },
        body: null,
        keys: isHome ? headers.keysFor(origin) : [],
      },
      AbortSignal.any([stop, AbortSignal.timeout(WITHIN_MS)]),
    );
    const text = await answer.text(MAX_DOCUMENT_BYTES);
    if (answer.status !== 200)
      throw new SourceProblem('failed', `${url} answered with ${answer.status} where its document should be.`);
    return text;
  } catch (error) {
    if (error instanceof OutsideProblem)
      throw new SourceProblem('failed', `Its document could not be fetched. ${error.message}`);
    throw error;
  }
}

const readOrigin = (url: string): string | null => {
  const read = parseAddress(url);
  return read.ok ? read.address.origin : null;
};

export interface ChosenServer {
  readonly url: string;
  /** The address that the headers of the settings were entered for. */
  readonly keysFor: string;
  /** A document that was fetched elsewhere names it: neither the person nor the place that they chose. */
  readonly isForeign: boolean;
}

/** Where its requests go: where the settings say, else where the document says. */
export function chooseServer(
  root: JsonObject,
  { base_url: baseUrl, url }: SourceOptions['settings'],
  headers: SettingHeaders,
  name: string,
): ChosenServer {
  if (baseUrl !== undefined) {
    const read = parseAddress(baseUrl);
    if (!read.ok) throw new SourceProblem('refused', `base_url can’t be used. ${read.problem}`);
    return { url: baseUrl, keysFor: baseUrl, isForeign: false };
  }
  const first = readFirstServer(root['servers'], url ?? null);
  if (!first.ok) throw new SourceProblem('refused', `${name}: ${first.problem} Set base_url.`);
  const isForeign = url !== undefined && readOrigin(first.url) !== readOrigin(new URL(url).origin);
  if (isForeign && headers.names.size > 0)
    throw new SourceProblem(
      'refused',
      `${name} sends its requests to ${first.url}, and the headers in your settings were entered for ${new URL(url).origin}. Where they are meant for both, set base_url = "${first.url}".`,
    );
  return { url: first.url, keysFor: first.url, isForeign };
}
