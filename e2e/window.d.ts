import type { GatehouseApi } from '../src-preload/contract/channels.js';

declare global {
  interface Window {
    readonly gatehouse: GatehouseApi;
  }
}
