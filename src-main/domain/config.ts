export type { Config } from '#contract/vocabulary/config.js';
