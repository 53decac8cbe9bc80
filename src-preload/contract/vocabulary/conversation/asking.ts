/** The presets for asking that a person chooses once: each sets a few settings. */
export const ASKING = ['strict', 'careful', 'balanced'] as const;
export type Asking = (typeof ASKING)[number];
