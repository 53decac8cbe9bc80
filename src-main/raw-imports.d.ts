/** Data files that are built into the program. */
declare module '*?raw' {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- the bundler's form
  export default text;
}
