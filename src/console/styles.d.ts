/** Style sheets are imported for their side effect; the bundler emits them as files. */
declare module '*.css';
