import type { ContentBlock, GetPromptResult } from '@modelcontextprotocol/client';
import type { ResourceReader, ResourceRequest } from '../../../domain/ports/sources/source.js';
import type {
  PromptMessage,
  ResourceContent,
  OfferedResources,
  ListedPrompt,
  ListedResource,
} from '../../../domain/ports/sources/resources.js';
import { mediaTypeOf } from './answer.js';
import type { Session } from './session.js';

type AskedAt = <T>(asked: ResourceRequest, send: (session: Session) => Promise<T>) => Promise<T>;

/** More than anybody looks through. */
const MOST_RESOURCES = 1000;
const MOST_PROMPTS = 200;
const MOST_ARGUMENTS = 20;
const LONGEST_URI = 2000;
const LONGEST_NAME = 200;
const LONGEST_ABOUT = 500;

/** The resources and prompts of a server, over the connection that its tools have. */
export const mcpShelf = (askedAt: AskedAt, isOpened: () => boolean): ResourceReader => ({
  get isOpened() {
    return isOpened();
  },
  list: (asked) => askedAt(asked, (session) => listed(session, asked)),
  read: (uri, asked) =>
    askedAt(asked, async (session) => {
      const { contents } = await session.ask(asked, (client, options) => client.readResource({ uri }, options));
      return contents.map(ofResource);
    }),
  prompt: (name, args, asked) =>
    askedAt(asked, async (session) => {
      const { messages } = await session.ask(asked, (client, options) =>
        client.getPrompt({ name, arguments: { ...args } }, options),
      );
      return messages.map(ofMessage);
    }),
});

/** Lists resources and prompts. A server is not asked for what it does not say that it has. */
async function listed(session: Session, asked: ResourceRequest): Promise<OfferedResources> {
  const [resources, prompts] = await session.ask(asked, async (client, options) => {
    const { resources: hasResources, prompts: hasPrompts } = client.getServerCapabilities() ?? {};
    return Promise.all([
      hasResources === undefined ? [] : client.listResources(undefined, options).then(({ resources: all }) => all),
      hasPrompts === undefined ? [] : client.listPrompts(undefined, options).then(({ prompts: all }) => all),
    ]);
  });
  return {
    // What is longer than an address is can't be read by its beginning: it is left out.
    resources: resources
      .filter(({ uri }) => uri.length <= LONGEST_URI)
      .slice(0, MOST_RESOURCES)
      .map(({ uri, name, title, description }): ListedResource => ({
        uri,
        name: (title ?? name).slice(0, LONGEST_NAME),
        description: (description ?? '').slice(0, LONGEST_ABOUT),
      })),
    prompts: prompts
      .filter(({ name, arguments: args = [] }) => name.length <= LONGEST_NAME && args.length <= MOST_ARGUMENTS)
      .slice(0, MOST_PROMPTS)
      .map(({ name, title, description, arguments: args = [] }): ListedPrompt => ({
        name,
        title: (title ?? '').slice(0, LONGEST_NAME),
        description: (description ?? '').slice(0, LONGEST_ABOUT),
        args: args
          .filter((each) => each.name.length <= LONGEST_NAME)
          .map((each) => ({
            name: each.name,
            description: (each.description ?? '').slice(0, LONGEST_ABOUT),
            required: each.required ?? false,
          })),
      })),
  };
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource'];

const ofResource = (resource: Resource): ResourceContent =>
  'text' in resource
    ? { kind: 'text', text: resource.text }
    : { kind: 'binary', mediaType: mediaTypeOf(resource.mimeType), base64: resource.blob };

const ofMessage = ({ role, content }: GetPromptResult['messages'][number]): PromptMessage => ({
  role,
  content: ofContent(content),
});

function ofContent(content: ContentBlock): ResourceContent {
  switch (content.type) {
    case 'text':
      return { kind: 'text', text: content.text };
    case 'image':
    case 'audio':
      return { kind: 'binary', mediaType: mediaTypeOf(content.mimeType), base64: content.data };
    case 'resource':
      return ofResource(content.resource);
    case 'resource_link':
      return { kind: 'text', text: `[link to ${content.uri}: ${content.name}]` };
  }
}
