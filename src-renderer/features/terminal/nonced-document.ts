/**
 * The page's policy lets no style element in that does not carry its nonce. The terminal makes two; it is given a
 * document that puts the nonce on them, so that the policy needs no hole.
 */
export function noncedDocument(): Document {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  return new Proxy(document, {
    get(target, name) {
      if (name === 'createElement') {
        return (tag: string, options?: ElementCreationOptions) => {
          const element = target.createElement(tag, options);
          if (element instanceof HTMLStyleElement) element.nonce = nonce;
          return element;
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}
