import type { GatehouseApi } from '#contract/window/channels.js';

declare global {
  interface Window {
    readonly gatehouse: GatehouseApi;
  }
}
