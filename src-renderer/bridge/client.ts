import { HeardAnswers } from './heard-answers.js';
import type { BridgeClient, GatehouseApi } from '#contract/window/channels.js';

declare global {
  interface Window {
    readonly gatehouse: GatehouseApi;
  }
}

/** The only reader of what the preload exposes. */
export const client: BridgeClient = window.gatehouse.client;
export const subscribeToEvents: GatehouseApi['onEvents'] = window.gatehouse.onEvents;

export const answers = new HeardAnswers(window.gatehouse.onAnswered);
