/**
 * The page's policy lets no style element in that does not carry its nonce. The terminal makes some while it opens, and
 * offers no way to pass one (its document override reaches only part of them), so they get it as they are made. Only
 * for the length of `run`, which is synchronous.
 */
export function withStyleNonce(run: () => void): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  const createElement = document.createElement.bind(document);
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (tag: string, options?: ElementCreationOptions) => {
      const element = createElement(tag, options);
      if (element instanceof HTMLStyleElement) element.nonce = nonce;
      return element;
    },
  });
  try {
    run();
  } finally {
    // The document's own property goes; what it inherits is the original.
    Reflect.deleteProperty(document, 'createElement');
  }
}
