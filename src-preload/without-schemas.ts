/**
 * Stands in for the schema builder in the preload's bundle (electron.vite.config.ts): the preload needs the names of the
 * channels only, and every window would pay for the 190 kB that build schemas nobody there looks at.
 */
const nothing = () => ({});

export default new Proxy({}, { get: () => nothing });
