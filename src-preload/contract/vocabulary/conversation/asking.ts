/** How it should be asked, as a person chooses it once: each stands for a few settings. */
export const ASKING = ['strict', 'careful', 'balanced'] as const;
export type Asking = (typeof ASKING)[number];
