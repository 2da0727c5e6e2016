package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/page"
	"example.com/twinloop/labs/progress"
)

func newLabPredictCommand(all []lab.Lab) *cobra.Command {
	var given []string
	cmd := oneLab(all, &cobra.Command{
		Use:   "predict LAB [--answer NAME=VALUE]...",
		Short: "Answer a lab's questions before it is run",
		Long: "Answer a lab's questions, one after the other, on standard input. An empty line leaves a question as it is. Every\n" +
			"answer is kept at once, with the time. What is answered after the lab was run is marked so.",
		Example: "  twinloop lab predict 6\n" +
			"  twinloop lab predict 6 --answer reconciles=1 --answer other-key-without-done=yes",
	}, func(cmd *cobra.Command, l lab.Lab) error {
		if len(l.Questions) == 0 {
			return fmt.Errorf("lab %d asks no questions; read what there is to make with 'twinloop lab show %d'", l.Number, l.Number)
		}
		file, record, err := readRecord(l)
		if err != nil {
			return err
		}
		if len(given) > 0 {
			if err := predictGiven(file, l, given); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "Predictions kept: %d.\n", len(given))
			return err
		}
		i := newInterview(cmd, l, file)
		if err := i.ask(cmd.Context(), record); err != nil {
			return err
		}
		return i.tellNext(len(record.Runs) > 0)
	})
	cmd.Flags().StringArrayVar(&given, "answer", nil,
		"Answer the question of this name, and ask none. May be repeated. An ordering is given with commas.")
	return cmd
}

// predictGiven keeps all answers of the command line, or none.
func predictGiven(file progress.File, l lab.Lab, given []string) error {
	answers := map[string]string{}
	for _, pair := range given {
		name, text, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("--answer %s: give it as NAME=VALUE", pair)
		}
		question := l.Question(name)
		if question == nil {
			return fmt.Errorf("--answer %s: lab %d has no question %q: name one of %s", pair, l.Number, name, namesOfQuestions(l))
		}
		answer, err := question.Answer.Parse(text)
		if err != nil {
			return fmt.Errorf("--answer %s: %w", pair, err)
		}
		answers[name] = answer
	}
	return file.Update(l.Folder(), func(r *progress.Record) {
		for name, answer := range answers {
			r.Predict(name, answer, time.Now())
		}
	})
}

func namesOfQuestions(l lab.Lab) string {
	var names []string
	for _, q := range l.Questions {
		names = append(names, q.Name)
	}
	return strings.Join(names, ", ")
}

// interview asks a lab's questions.
type interview struct {
	lab      lab.Lab
	file     progress.File
	lines    <-chan string
	out, err io.Writer
	// patient asks again after an answer that is none.
	patient bool
	kept    int
}

func newInterview(cmd *cobra.Command, l lab.Lab, file progress.File) *interview {
	in := cmd.InOrStdin()
	return &interview{
		lab: l, file: file, lines: linesOf(in), out: cmd.OutOrStdout(), err: cmd.ErrOrStderr(), patient: terminal(in) != nil,
	}
}

// linesOf are the lines of a stream, so that who waits for one can stop waiting. The reader ends with the stream.
func linesOf(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}

var errInputEnded = errors.New("the input ended")

// ask asks everything. It ends with the input, and says so.
func (i *interview) ask(ctx context.Context, record progress.Record) error {
	for n, q := range i.lab.Questions {
		i.pose(n, record.Predictions[q.Name].Answer)
		answer, err := i.answer(ctx, q)
		if errors.Is(err, errInputEnded) {
			fmt.Fprintf(i.err, "\n%s at question %d of %d; the answers before it are kept\n", err, n+1, len(i.lab.Questions))
			return nil
		}
		if err != nil {
			return err
		}
		if answer == "" {
			continue
		}
		if err := i.file.Update(i.lab.Folder(), func(r *progress.Record) { r.Predict(q.Name, answer, time.Now()) }); err != nil {
			return err
		}
		i.kept++
	}
	return nil
}

// pose puts a question. Options that are those of the one before are not repeated.
func (i *interview) pose(n int, before string) {
	q := i.lab.Questions[n]
	text := page.Render(q.Text, widthOf(i.out), inColor(i.out))
	fmt.Fprintf(i.out, "\n%d of %d, %s\n%s", n+1, len(i.lab.Questions), q.Name, text)
	if n == 0 || !slices.Equal(q.Answer.Options(), i.lab.Questions[n-1].Answer.Options()) {
		for n, option := range q.Answer.Options() {
			fmt.Fprintf(i.out, "  %s  %s\n", lab.Letter(n), option)
		}
	}
	if before != "" {
		fmt.Fprintf(i.out, "(you said %s; an empty line leaves it so)\n", before)
	}
	fmt.Fprintf(i.out, "%s> ", q.Answer.Hint())
}

// answer is the next line that is an answer, or empty where there is to be none.
func (i *interview) answer(ctx context.Context, q lab.Question) (string, error) {
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case line, more := <-i.lines:
			if !more {
				return "", errInputEnded
			}
			if strings.TrimSpace(line) == "" {
				return "", nil
			}
			answer, err := q.Answer.Parse(line)
			if err == nil {
				return answer, nil
			}
			if !i.patient {
				return "", fmt.Errorf("%s: %w", q.Name, err)
			}
			fmt.Fprintf(i.out, "%s\n> ", err)
		}
	}
}

func (i *interview) tellNext(late bool) error {
	if i.kept == 0 {
		_, err := fmt.Fprintln(i.out, "\nNo prediction was added.")
		return err
	}
	marked := ""
	if late {
		marked = ", and marked, because the lab was run before"
	}
	_, err := fmt.Fprintf(i.out, "\nPredictions kept: %d%s. Next: twinloop lab run %d\n", i.kept, marked, i.lab.Number)
	return err
}
