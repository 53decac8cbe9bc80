import type { ResourceRef } from '#contract/window/conversation/offered-texts.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { AttachedResource } from '../../domain/conversation/message.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { ResourceContent } from '../../domain/ports/sources/resources.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import type { ResourceBrowser } from '../../tools/sources/catalog/resource-browser.js';
import { isPicture, pictureType } from './pictures.js';

export interface ResourcesFrom {
  readonly shelves: Pick<ResourceBrowser, 'read'>;
  /** Whether the model that would get them takes pictures. */
  readonly takesPictures: boolean;
}

/** The bound on a picture, as for the person's own. */
const MAX_PICTURE = 5_000_000;
const MAX_PICTURES = 10;

/** Resources that the person gives to the model, as their sources tell them now, bounded as files are. Throws ToolFailure. */
export async function readResources(
  wanted: readonly ResourceRef[],
  { config, workspace }: Pick<PlanningSituation, 'config' | 'workspace'>,
  { shelves, takesPictures }: ResourcesFrom,
): Promise<readonly AttachedResource[]> {
  const once = new Map(wanted.map((each) => [JSON.stringify([each.source, each.uri]), each]));
  return Promise.all(
    [...once.values()].map(async ({ source, uri }) => {
      const { name, contents, isOpened } = await shelves.read(source, uri, { folder: workspace, config });
      const read = taken(contents, `“${toVisibleLine(name, 80)}” of “${source}”`, takesPictures);
      const bytes = Buffer.byteLength(read.text);
      const most = config.tools.read_file.max_file_read_bytes;
      if (bytes > most)
        throw failed(`“${toVisibleLine(name, 80)}” of “${source}” has ${bytes} bytes; ${most} are attached at most.`);
      return { kind: 'resource', source, uri, name, isOpened, ...read };
    }),
  );
}

function taken(
  contents: readonly ResourceContent[],
  what: string,
  takesPictures: boolean,
): Pick<AttachedResource, 'text' | 'pictures'> {
  if (contents.length === 0) throw failed(`${what} is empty.`);
  const texts: string[] = [];
  const pictures: AttachedResource['pictures'][number][] = [];
  for (const content of contents) {
    if (content.kind === 'text') {
      texts.push(content.text);
      continue;
    }
    const { mediaType, base64 } = content;
    const type = pictureType(mediaType);
    if (type === null)
      throw failed(`${what} is neither text nor a picture that models take (${mediaType}), so it can’t be attached.`);
    if (!isPicture(type, base64)) throw failed(`${what} says that it is a picture (${mediaType}), and is none.`);
    if (!takesPictures) throw failed(`${what} is a picture, and this model takes none. Choose another model.`);
    if (base64.length > MAX_PICTURE || pictures.length === MAX_PICTURES)
      throw failed(`${what} has more pictures, or larger ones, than a message can hold.`);
    pictures.push({ mediaType, base64 });
  }
  return { text: texts.join('\n\n'), pictures };
}

const failed = (message: string): ToolFailure => new ToolFailure({ code: 'ExecutionFailed', message });
