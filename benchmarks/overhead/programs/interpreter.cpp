// A tokenizer, a parser of expressions and an interpreter that walks the tree.
#include <cctype>
#include <memory>
#include <string>
#include <vector>
#include "tiny.h"

struct Node {
    TINY Node() {}
    TINY virtual ~Node() {}
    virtual double value(const double* variables) const = 0;
};
using Tree = std::unique_ptr<Node>;

struct Constant : Node {
    double number;
    TINY explicit Constant(double n) : number(n) {}
    TINY ~Constant() override {}
    TINY double value(const double*) const override { return number; }
};

struct Variable : Node {
    int slot;
    TINY explicit Variable(int s) : slot(s) {}
    TINY ~Variable() override {}
    TINY double value(const double* variables) const override { return variables[slot]; }
};

struct Binary : Node {
    char kind;
    Tree left, right;
    TINY Binary(char k, Tree l, Tree r) : kind(k), left(std::move(l)), right(std::move(r)) {}
    TINY ~Binary() override {}
    TINY double value(const double* variables) const override {
        const double a = left->value(variables), b = right->value(variables);
        switch (kind) {
            case '+': return a + b;
            case '-': return a - b;
            case '*': return a * b;
            default: return b != 0.0 ? a / b : 0.0;
        }
    }
};

struct Token {
    char kind;
    double number;
};

class Tokenizer {
public:
    TINY explicit Tokenizer(const std::string& text) : text_(text) {}
    TINY char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    TINY void advance() { ++at_; }
    TINY Token next() {
        while (std::isspace(peek())) advance();
        if (!std::isdigit(peek())) {
            const char kind = peek();
            advance();
            return {kind, 0.0};
        }
        double number = 0.0;
        for (; std::isdigit(peek()); advance()) number = 10.0 * number + (peek() - '0');
        return {'0', number};
    }

private:
    const std::string& text_;
    std::size_t at_ = 0;
};

class Parser {
public:
    TINY explicit Parser(const std::string& text) : tokens_(text), token_(tokens_.next()) {}
    TINY Tree sum() { return chain('+', '-', [this]() TINY { return product(); }); }

private:
    template <class Operand>
    TINY Tree chain(char one, char other, Operand operand) {
        Tree tree = operand();
        while (token_.kind == one || token_.kind == other) {
            const char kind = take().kind;
            tree = std::make_unique<Binary>(kind, std::move(tree), operand());
        }
        return tree;
    }
    TINY Tree product() { return chain('*', '/', [this]() TINY { return atom(); }); }
    TINY Tree atom() {
        const Token token = take();
        if (token.kind == '0') return std::make_unique<Constant>(token.number);
        if (token.kind != '(') return std::make_unique<Variable>(token.kind - 'a');
        Tree inside = sum();
        take();
        return inside;
    }
    TINY Token take() {
        const Token token = token_;
        token_ = tokens_.next();
        return token;
    }
    Tokenizer tokens_;
    Token token_;
};

std::vector<std::string> make_lines(int count) {
    std::vector<std::string> lines;
    for (int i = 0; i < count; ++i)
        lines.push_back("(a + " + std::to_string(i) + ") * b - (c / 3 + a * (b - " + std::to_string(i % 7) + ")) * 2 + c");
    return lines;
}

std::vector<Tree> parse(const std::vector<std::string>& lines) {
    std::vector<Tree> trees;
    for (const auto& line : lines) trees.push_back(Parser(line).sum());
    return trees;
}

double evaluate(const std::vector<Tree>& trees, double at) {
    const double variables[3] = {at, at + 1.0, at * at};
    double sum = 0.0;
    for (const auto& tree : trees) sum += tree->value(variables);
    return sum;
}

int main(int argc, char** argv) {
    const int n = size_argument(argc, argv);
    const auto trees = parse(make_lines(20 * n));
    double sum = 0.0;
    for (int i = 0; i < 60; ++i) sum += evaluate(trees, 0.1 * i);
    std::printf("%.12g\n", sum);
}
