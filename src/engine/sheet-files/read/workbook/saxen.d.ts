/** The part of saxen that is used here; the package has no types of its own. */
declare module 'saxen' {
  export class Parser {
    on(event: 'openTag', listener: (name: string, attributes: () => Record<string, string>) => void): this;
    on(event: 'closeTag', listener: (name: string) => void): this;
    on(event: 'text' | 'cdata' | 'attention', listener: (text: string) => void): this;
    /** `warn` tells of what is wrong in a tag that the parser reads on from. */
    on(event: 'error' | 'warn', listener: (error: Error) => void): this;
    /** Parses a whole document, calls the listeners meanwhile, and returns what is wrong with it. */
    parse(xml: string): Error | null;
    /** Ends the parsing: no listener is called any more. */
    stop(): void;
  }
}
