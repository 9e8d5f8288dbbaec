/** Asks a question shortly after the last change, and reports only the answer to the newest question. */

export interface Delays {
  /** Runs `task` after the delay; returns a function that cancels it. */
  after(ms: number, task: () => void): () => void;
}

interface LatestOptions<Question, Answer> {
  readonly delays: Delays;
  readonly waitMs: number;
  readonly ask: (question: Question) => Promise<Answer>;
  readonly onAnswer: (answer: Answer) => void;
  readonly onFailure: (failure: unknown) => void;
}

export function latest<Question, Answer>(options: LatestOptions<Question, Answer>) {
  const { delays, waitMs, ask, onAnswer, onFailure } = options;
  let newest = 0;
  let cancel = () => {};
  const run = async (question: Question, number: number): Promise<void> => {
    try {
      const answer = await ask(question);
      if (number === newest) onAnswer(answer);
    } catch (failure) {
      if (number === newest) onFailure(failure);
    }
  };
  return {
    ask(question: Question): void {
      const number = ++newest;
      cancel();
      cancel = delays.after(waitMs, () => void run(question, number));
    },
    /** Drops pending questions and answers. */
    close(): void {
      newest++;
      cancel();
    },
  };
}
