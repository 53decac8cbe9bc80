export type { Config } from '../../src-preload/contract/config.js';
