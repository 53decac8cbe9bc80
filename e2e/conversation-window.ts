import type { Page } from '@playwright/test';
import type { ModelOffers } from '#contract/window/conversation/conversation.js';
import type { Gatehouse } from './app.js';
import { goTo } from './places.js';
import { scriptMain, type ScriptedMain } from './scripted-main.js';
import { sampleConversation, sampleMessage } from './window-samples.js';

export const OFFERED: ModelOffers = {
  chosen: { provider: 'anthropic', baseUrl: null, model: 'claude-opus', takesPictures: true },
  others: [{ provider: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', model: 'llama', takesPictures: false }],
  problem: null,
};
export const ID = 'conversation-1';
export const mine = (id: string, text: string, more = {}) => sampleMessage(id, text, { role: 'person', ...more });

export const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });
export const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
export const send = (page: Page) => page.getByRole('button', { name: 'Send' }).last();

/** The page with one conversation that another main tells of. */
export async function open(
  app: Gatehouse,
  messages: readonly ReturnType<typeof sampleMessage>[],
  more = {},
): Promise<ScriptedMain> {
  const main = await scriptMain(app);
  const { workspace } = app;
  await main.answer('conversations.list', [sampleConversation(ID, { workspace, ...more })]);
  await main.answer('conversations.read', { messages, more: false });
  await main.answer('conversations.models', OFFERED);
  await main.answer('conversations.findFiles', []);
  await main.answer('conversations.stop', { unsent: null });
  await goTo(app.page, 'Conversation');
  return main;
}
