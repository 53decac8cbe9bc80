import type { ContentBlock, GetPromptResult } from '@modelcontextprotocol/client';
import type { ResourceReader, ResourceRequest } from '../../../domain/ports/sources/source.js';
import type {
  PromptMessage,
  ResourceContent,
  OfferedResources,
  ListedPrompt,
  ListedResource,
} from '../../../domain/ports/sources/resources.js';
import { toMediaType } from './source-answer.js';
import type { Session } from './session.js';

type AskSession = <T>(asked: ResourceRequest, send: (session: Session) => Promise<T>) => Promise<T>;

/** More than anybody looks through. */
const MAX_RESOURCES = 1000;
const MAX_PROMPTS = 200;
const MAX_ARGUMENTS = 20;
const MAX_URI_LENGTH = 2000;
const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 500;

/** The resources and prompts of a server, over the connection that its tools have. */
export const createMcpResources = (askedAt: AskSession, isOpened: () => boolean): ResourceReader => ({
  get isOpened() {
    return isOpened();
  },
  list: (asked) => askedAt(asked, (session) => listResourcesAndPrompts(session, asked)),
  read: (uri, asked) =>
    askedAt(asked, async (session) => {
      const { contents } = await session.ask(asked, (client, options) => client.readResource({ uri }, options));
      return contents.map(toResourceContent);
    }),
  prompt: (name, args, asked) =>
    askedAt(asked, async (session) => {
      const { messages } = await session.ask(asked, (client, options) =>
        client.getPrompt({ name, arguments: { ...args } }, options),
      );
      return messages.map(toPromptMessage);
    }),
});

/** Lists resources and prompts. A server is not asked for what it does not say that it has. */
async function listResourcesAndPrompts(session: Session, asked: ResourceRequest): Promise<OfferedResources> {
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
      .filter(({ uri }) => uri.length <= MAX_URI_LENGTH)
      .slice(0, MAX_RESOURCES)
      .map(({ uri, name, title, description }): ListedResource => ({
        uri,
        name: (title ?? name).slice(0, MAX_NAME_LENGTH),
        description: (description ?? '').slice(0, MAX_DESCRIPTION_LENGTH),
      })),
    prompts: prompts
      .filter(({ name, arguments: args = [] }) => name.length <= MAX_NAME_LENGTH && args.length <= MAX_ARGUMENTS)
      .slice(0, MAX_PROMPTS)
      .map(({ name, title, description, arguments: args = [] }): ListedPrompt => ({
        name,
        title: (title ?? '').slice(0, MAX_NAME_LENGTH),
        description: (description ?? '').slice(0, MAX_DESCRIPTION_LENGTH),
        args: args
          .filter((each) => each.name.length <= MAX_NAME_LENGTH)
          .map((each) => ({
            name: each.name,
            description: (each.description ?? '').slice(0, MAX_DESCRIPTION_LENGTH),
            required: each.required ?? false,
          })),
      })),
  };
}

type EmbeddedResource = Extract<ContentBlock, { type: 'resource' }>['resource'];

const toResourceContent = (resource: EmbeddedResource): ResourceContent =>
  'text' in resource
    ? { kind: 'text', text: resource.text }
    : { kind: 'binary', mediaType: toMediaType(resource.mimeType), base64: resource.blob };

const toPromptMessage = ({ role, content }: GetPromptResult['messages'][number]): PromptMessage => ({
  role,
  content: toContent(content),
});

function toContent(content: ContentBlock): ResourceContent {
  switch (content.type) {
    case 'text':
      return { kind: 'text', text: content.text };
    case 'image':
    case 'audio':
      return { kind: 'binary', mediaType: toMediaType(content.mimeType), base64: content.data };
    case 'resource':
      return toResourceContent(content.resource);
    case 'resource_link':
      return { kind: 'text', text: `[link to ${content.uri}: ${content.name}]` };
  }
}
