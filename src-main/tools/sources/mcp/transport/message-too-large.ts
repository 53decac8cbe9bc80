/** The limit for one message of a server. */
export const MAX_MESSAGE_BYTES = 8 * 2 ** 20;

export class MessageTooLarge extends Error {
  constructor() {
    super('it sent a message of more than 8 MB');
    this.name = 'MessageTooLarge';
  }
}
