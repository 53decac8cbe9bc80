/** The presets for asking that a person chooses once: each sets a few settings. */
export const ASKING_PRESETS = ['strict', 'careful', 'balanced'] as const;
export type AskingPreset = (typeof ASKING_PRESETS)[number];
