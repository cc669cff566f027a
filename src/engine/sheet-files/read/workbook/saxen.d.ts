/** The part of saxen that is used here; the package has no types. */
declare module 'saxen' {
  export class Parser {
    on(event: 'openTag', listener: (name: string, attributes: () => Record<string, string>) => void): this;
    on(event: 'closeTag', listener: (name: string) => void): this;
    on(event: 'text', listener: (text: string, decodeEntities: (text: string) => string) => void): this;
    on(event: 'cdata' | 'attention', listener: (text: string) => void): this;
    /** `warn` reports errors in a tag that the parser recovers from. */
    on(event: 'error' | 'warn', listener: (error: Error) => void): this;
    /** Parses a whole document, calls the listeners meanwhile, and returns its error, if any. */
    parse(xml: string): Error | null;
    /** Ends the parsing: no more listeners are called. */
    stop(): void;
  }
}
